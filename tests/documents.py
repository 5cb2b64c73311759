"""What tests read in documents, and how they run what these tell."""

import atexit
import os
import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

ROOT = Path(__file__).parent.parent


def bash_blocks(document: str) -> list[str]:
    """The `bash` blocks of a document, in order; `document` is its path from the root."""
    text = (ROOT / document).read_text(encoding="utf-8")
    return re.findall(r"^```bash\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)


@cache
def quick_programs() -> Path:
    """A folder with a `biaoti` that need not import its libraries for each run (`warm_biaoti`)."""
    folder = Path(mkdtemp())
    atexit.register(rmtree, folder)
    program, address = Path(__file__).with_name("warm_biaoti.py"), folder / "socket"
    server = subprocess.Popen(
        [sys.executable, "-P", program, address], cwd=ROOT, stdout=subprocess.PIPE
    )
    atexit.register(server.kill)
    assert server.stdout is not None
    assert server.stdout.readline() == b"ready\n"
    command = shlex.join(map(str, [sys.executable, "-IS", program, address]))
    (folder / "biaoti").write_text(f'#!/bin/sh\nexec {command} "$@"\n')
    (folder / "biaoti").chmod(0o755)
    return folder


def run_block(block: str, data: Path | str = "samples") -> str:
    """Run a block as a reader would, from the root, in the environment that is being tested.

    Args:
        data: the folder that stands for a reader's own, DATA.
    """
    programs = [str(quick_programs()), str(Path(sys.executable).parent), os.environ["PATH"]]
    environment = os.environ | {"PATH": os.pathsep.join(programs), "DATA": str(data)}
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
