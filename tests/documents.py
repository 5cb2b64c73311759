"""What tests read in documents."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent


def bash_blocks(document: str) -> list[str]:
    """The `bash` blocks of a document, in order; `document` is its path from the root."""
    text = (ROOT / document).read_text(encoding="utf-8")
    return re.findall(r"^```bash\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)
