"""What may a newsroom expect that no model has seen, and how does a model age?

    python benchmarks/newsrooms.py left-out --data FOLDER -- train fasttext
    python benchmarks/newsrooms.py months --data FOLDER --until 2025-12-31 -- train fasttext

FOLDER holds `thucnews/` (train.txt, more.txt, dev.txt, test.txt), whose labels are the classes, and
`newsrooms/` with `classes.tsv` and a folder of train.jsonl, dev.jsonl and test.jsonl for each. What
stands behind `--` is how to train, without data and output. `left-out` trains once on all and once
without each newsroom, and gives macro recall on every dev file; `months` trains on what was
published until a day, and gives it month by month for what came after.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

HOME = "thucnews"


class Newsrooms:
    """The files of all newsrooms, and a place for models."""

    def __init__(self, data: Path, scratch: Path):
        self.home, self.others = data / HOME, data / "newsrooms"
        self.class_map = self.others / "classes.tsv"
        self.scratch = scratch

    @property
    def names(self) -> list[str]:
        return [HOME, *sorted(path.parent.name for path in self.others.glob("*/train.jsonl"))]

    def files(self, newsroom: str, split: str) -> list[str]:
        """As `--train` and `--dev` take them."""
        if newsroom != HOME:
            return [str(self.others / newsroom / f"{split}.jsonl")]
        more = [f"{HOME}={self.home / 'more.txt'}"] if split == "train" else []
        return [str(self.home / f"{split}.txt"), *more]

    def train(self, how: Sequence[str], train: Iterable[str], dev: Iterable[str]) -> Path:
        model = self.scratch / "model"
        options = [word for file in train for word in ("--train", file)]
        options += [word for file in dev for word in ("--dev", file)]
        _biaoti(
            *how, *options, "--class-map", str(self.class_map), "--output", str(model), "--force"
        )
        return model

    def evaluate(self, model: Path, files: Iterable[str]) -> dict[str, Any]:
        """What `biaoti evaluate --json` gives, its newsrooms by name."""
        report = json.loads(
            _biaoti("evaluate", str(model), *files, "--class-map", str(self.class_map), "--json")
        )
        report["newsrooms"] = {row["newsroom"]: row for row in report["newsrooms"]}
        return dict(report)


def left_out(newsrooms: Newsrooms, how: Sequence[str]) -> dict[str, dict[str, float]]:
    """Macro recall on each newsroom's dev file, by the newsroom that was left out."""
    names, rows = newsrooms.names, {}
    tested = [file for name in names for file in newsrooms.files(name, "dev")]
    for out in (None, *names):
        known = [name for name in names if name != out]
        train, dev = (
            [file for name in known for file in newsrooms.files(name, split)]
            for split in ("train", "dev")
        )
        report = newsrooms.evaluate(newsrooms.train(how, train, dev), tested)
        rows[out or "none"] = {name: report["newsrooms"][name]["macro_recall"] for name in names}
        _print_row(out or "none", rows[out or "none"])
    return rows


def months(newsrooms: Newsrooms, how: Sequence[str], until: str) -> dict[str, dict[str, float]]:
    """Macro recall by month on what the newsrooms with dates published after a day."""
    train = newsrooms.files(HOME, "train")
    dev, later = newsrooms.files(HOME, "dev"), {}
    for name in newsrooms.names[1:]:
        rows = [
            json.loads(line)
            for split in ("train", "dev", "test")
            for file in newsrooms.files(name, split)
            for line in Path(file).read_text(encoding="utf-8").splitlines()
        ]
        if not all("date" in row for row in rows):
            train += newsrooms.files(name, "train")
            dev += newsrooms.files(name, "dev")
            continue
        before = [row for row in rows if row["date"] <= until]
        train += [_write(newsrooms.scratch / "train" / name / "train.jsonl", before)]
        for row in rows:
            if row["date"] > until:
                later.setdefault(row["date"][:7], {}).setdefault(name, []).append(row)
    model, found = newsrooms.train(how, train, dev), {}
    for month, by_newsroom in sorted(later.items()):
        files = [
            _write(newsrooms.scratch / month / name / "test.jsonl", rows)
            for name, rows in by_newsroom.items()
        ]
        report = newsrooms.evaluate(model, files)
        found[month] = {name: row["macro_recall"] for name, row in report["newsrooms"].items()}
        _print_row(month, found[month])
    return found


def _write(path: Path, rows: Iterable[dict[str, Any]]) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text("".join(lines), encoding="utf-8")
    return str(path)


def _biaoti(*words: str) -> str:
    command = [sys.executable, "-c", "import sys; from cli import main; sys.exit(main())", *words]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def _print_row(name: str, recalls: dict[str, float]) -> None:
    cells = "  ".join(f"{newsroom} {100 * recall:.1f}" for newsroom, recall in recalls.items())
    print(f"{name}: {cells}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("question", choices=("left-out", "months"))
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--until", default="2025-12-31", metavar="DAY", help="of months")
    parser.add_argument("--output", type=Path, metavar="FILE", help="where the numbers go, as JSON")
    parser.add_argument("how", nargs="+", metavar="WORD", help="train and a route, with options")
    options = parser.parse_args()
    with TemporaryDirectory() as scratch:
        newsrooms = Newsrooms(options.data, Path(scratch))
        if options.question == "left-out":
            found = left_out(newsrooms, options.how)
        else:
            found = months(newsrooms, options.how, options.until)
    if options.output:
        told = {"question": options.question, "how": options.how, "macro_recall": found}
        options.output.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
