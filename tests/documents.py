"""What tests read in documents, and how they run what these tell."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def bash_blocks(document: str) -> list[str]:
    """The `bash` blocks of a document, in order; `document` is its path from the root."""
    text = (ROOT / document).read_text(encoding="utf-8")
    return re.findall(r"^```bash\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)


def run_block(block: str) -> str:
    """Run a block as a reader would, from the root, in the environment that is being tested."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "DATA": "samples"}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"
    return done.stdout


README = bash_blocks("README.md")
SERVE = [block for block in README if "make serve" in block]
CURL = [block for block in README if "curl " in block]
BENCHMARKS = [block for block in README if block.startswith("python benchmarks/")]
IN_ORDER = [b for b in README if b not in SERVE + CURL + BENCHMARKS and "make test" not in b]
"""Each works with what those before it have made."""
