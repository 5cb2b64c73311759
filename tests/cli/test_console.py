"""Consoles of other encodings, closed, full, or without a reader."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cli import main
from cli.console import to_json

ROOT = Path(__file__).parent.parent.parent
TITLE, FIRE = "国足客场一球小胜", "主队大胜\U0001f525"
PROGRAM = [sys.executable, "-c", "from cli import main; raise SystemExit(main())"]


def biaoti(
    *words: str | bytes, shell: str = '"$@"', **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """The command line in a process of its own, run by a line of shell."""
    return subprocess.run(
        ["bash", "-c", shell, "bash", *PROGRAM, *words],
        env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
        capture_output=True,
        check=False,
    )


def test_a_console_in_gbk_is_given_what_it_can_show_and_escapes():
    shown = biaoti("classify", FIRE, PYTHONIOENCODING="gbk")

    assert (shown.returncode, shown.stderr) == (0, b"")
    assert shown.stdout.decode("gbk").endswith("\t主队大胜\\U0001f525\n")


def test_a_title_in_gbk_is_named_as_one_line_and_json_is_ascii_where_it_must_be():
    ascii_only = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"}

    refused = biaoti("classify", TITLE.encode("gbk"))
    answered = biaoti("classify", "--json", TITLE, **ascii_only)

    assert refused.returncode == 3
    assert refused.stderr.count(b"\n") == 1
    assert b"error: not UTF-8: the title '\\udcb9\\udcfa" in refused.stderr
    assert (answered.returncode, answered.stderr) == (0, b"")
    assert answered.stdout.isascii()
    assert json.loads(answered.stdout)["title"] == TITLE


@pytest.mark.parametrize(
    ("shell", "code", "said"),
    [
        ('"$@" > /dev/full', 8, "standard output cannot be written (No space left on device)"),
        ('"$@" >&-', 8, "standard output is closed; send it somewhere, such as to a file"),
        ('"$@" | true; exit ${PIPESTATUS[0]}', 141, ""),
        ('"$@" <&- 2>&-', 0, ""),
    ],
    ids=["full", "closed", "without reader", "without messages"],
)
def test_an_output_that_takes_nothing_is_told_in_one_line(shell: str, code: int, said: str):
    ended = biaoti("data", "check", str(ROOT / "samples" / "dev.txt"), shell=shell)

    assert ended.returncode == code
    assert ended.stderr.count(b"\n") == (1 if said else 0)
    assert said in ended.stderr.decode()


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("utf-8", '{"a": "国足\U0001f525"}'),
        ("gbk", r'{"a": "\u56fd\u8db3\ud83d\udd25"}'),
        ("ascii", r'{"a": "\u56fd\u8db3\ud83d\udd25"}'),
    ],
)
def test_json_holds_what_the_encoding_can(encoding: str, text: str):
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding)

    assert to_json({"a": "国足\U0001f525"}, file) == text


def test_a_file_name_that_is_not_utf_8_is_no_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = os.fsdecode(os.fsencode(tmp_path) + "/标题.txt".encode("gbk"))
    (tmp_path / "class.txt").write_text("sports\n")
    Path(path).write_text("国足小胜\tsports\n")

    assert main(["data", "check", path]) == 0
    assert main(["data", "check", "--json", path]) == 0
    assert main(["data", "check", path, "--output", str(tmp_path / "out.txt")]) == 0
    assert r"/\udcb1\udcea\udccc\udce2.txt" in (tmp_path / "out.txt").read_text()
