"""Ask a running service (`make serve`) for the classes of some titles.

python examples/call_service.py http://127.0.0.1:8000 国足客场一球小胜 "A股三大指数集体收涨"
"""

import json
import sys
from urllib.error import HTTPError
from urllib.request import Request, urlopen

url, *titles = sys.argv[1:]
body = json.dumps({"titles": titles, "top_k": 3, "strict": True}).encode()
request = Request(f"{url}/v1/classify", body, {"Content-Type": "application/json"})
try:
    with urlopen(request, timeout=10) as response:
        results = json.load(response)["results"]
except HTTPError as error:  # its body says what came and what to do
    sys.exit(f"{error.code}: {json.load(error)['detail']}")
for title, result in zip(titles, results, strict=True):
    print(f"{result['display_name']} {result['score']:.2f}  {title}")
