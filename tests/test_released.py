"""The model that ships: small, int8, open without torch, and as good as its card says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import opencc
import pytest

from cli.main import read_settings
from cli.verbs import find
from models import artifact
from models.artifact import DEFAULT_FOLDER, LoadedModel
from models.classifier import predict
from scoring.metrics import accuracy
from scoring.robustness import form_flips
from titles import Source, read, read_splits
from titles.class_map import ClassMap

from .documents import ROOT

READMES = (ROOT / "README.md", ROOT / "README.zh-CN.md")
SAMPLES = ROOT / "samples" / "test.txt"
TITLE = "国足客场一球小胜 小组赛取得开门红"


@pytest.fixture(scope="module")
def released() -> LoadedModel:
    return artifact.load(DEFAULT_FOLDER)


@pytest.fixture(scope="module")
def sample_titles() -> list[str]:
    sources = [Source(SAMPLES.with_name(f"{name}.txt")) for name in ("train", "dev", "test")]
    return [title for source in sources for title in read(source).titles]


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    """The data of the sections that have an entry a model."""
    data = json.loads((ROOT / "docs" / "report" / "report.json").read_text(encoding="utf-8"))
    found = {name: data[name] for name in ("models", "overview", "speed")}
    return found | {"newsrooms": {"models": data["newsrooms"]}}


def _of(models: list[dict[str, Any]], name: str) -> dict[str, Any]:
    (found,) = [model for model in models if model["name"] == name]
    return found


def folder_bytes(folder: Path) -> int:
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return sum(path.stat().st_size for path in files)


def test_it_takes_at_most_15_mb_with_tokenizer_and_card():
    assert (DEFAULT_FOLDER / "README.md").is_file()
    assert (DEFAULT_FOLDER / "tokenizer.json").is_file()
    assert folder_bytes(DEFAULT_FOLDER) <= 15_000_000


def test_its_matrices_are_int8(released: LoadedModel):
    graph = onnx.load(released.folder / "model.onnx").graph
    matrices = [each for each in graph.initializer if len(each.dims) == 2 and min(each.dims) >= 384]
    floats = [each.name for each in matrices if each.data_type == onnx.TensorProto.FLOAT]
    assert released.manifest.route == "onnx"
    assert len(matrices) > 10
    assert floats == []


def test_it_reads_two_to_four_times_the_length_of_usual_titles(released: LoadedModel):
    """The 99th percentile of the sample titles' tokens, specials included."""
    titles = read(Source(SAMPLES), released.labels).titles
    lengths = [len(ids) for ids in released.uncalibrated.tokenizer(titles).ids]
    longest = float(np.percentile(lengths, 99))
    assert 2 * longest <= released.manifest.max_length <= 4 * longest


@pytest.mark.parametrize(
    ("file", "least", "called"),
    [
        ("test.txt", 0.85, "200 titles of `samples/test.txt`"),
        ("today/test.jsonl", 0.75, "titles of `samples/today/test.jsonl`"),
    ],
)
def test_it_knows_as_many_of_the_sample_titles_as_its_card_says(
    released: LoadedModel, file: str, least: float, called: str
):
    """They are of another hand than those it was trained on."""
    class_map = ClassMap.read(SAMPLES.with_name("classes.tsv"))
    source = Source(SAMPLES.parent / file, newsroom="today" if "today" in file else None)
    splits, _ = read_splits({"test": source}, None, released.labels, class_map=class_map)
    titles = splits["test"]
    card = " ".join((DEFAULT_FOLDER / "README.md").read_text(encoding="utf-8").split())
    right = accuracy(released.predict_proba(titles.titles), titles.gold)
    assert right >= least
    assert f"{100 * right:.1f} % of the {called}" in card


@pytest.mark.parametrize("title", [TITLE, "国足客场一球小胜"])
def test_the_titles_of_the_help_are_sports(released: LoadedModel, title: str):
    (answer,) = predict(released, [title])
    assert answer.best.label == "sports"


MOST_FLIPS = {
    "flash": 0.20, "picture": 0.10, "hashtag": 0.05, "clickbait tail": 0.12,
    "clickbait opening": 0.07, "emoji": 0.03, "full stop": 0.03, "source": 0.20,
    "names in Latin script": 0.03, "blanks for signs": 0.12, "first half": 0.22,
}  # fmt: skip
"""Share of titles whose class a change of form may change: what the card says, not yet the 3 % that
are wanted."""


def test_a_change_of_form_changes_its_mind_no_more_than_its_card_says(
    released: LoadedModel, sample_titles: list[str]
):
    """Tried with every third of the titles."""
    found = form_flips(released.predict_proba, sample_titles[::3])
    flips = {row.form: row.flipped for row in found}
    assert set(flips) == set(MOST_FLIPS)
    by_chance = 0.02  # of a third of the titles
    assert {f: s for f, s in flips.items() if s > MOST_FLIPS[f] + by_chance} == {}
    card = (DEFAULT_FOLDER / "README.md").read_text(encoding="utf-8")
    told = re.search(r"([\d.]+) % of 1,400 titles at worst \(([\w ]+)\)", card)
    assert told
    assert flips[told[2]] == pytest.approx(float(told[1]) / 100, abs=0.03)


def _every(characters: str, by: str) -> Callable[[str], str]:
    """Replace any of the characters."""
    return lambda title: title.translate(dict.fromkeys(map(ord, characters), by))


FULL_WIDTH = {plain: plain + 0xFEE0 for plain in range(0x21, 0x7F)}
HALF_WIDTH = {wide: plain for plain, wide in FULL_WIDTH.items()}
UNSEEN: dict[str, Callable[[str], str]] = {
    "a blank at the end": "{} ".format,
    "a blank at the beginning": " {}".format,
    "blanks at both ends": "  {}   ".format,
    "a tab": "{}\t".format,
    "a line feed": "{}\n".format,
    "a carriage return": "{}\r".format,
    "both": "{}\r\n".format,
    "a form feed": "{}\f".format,
    "a line separator": "\u2028{}\u2029".format,
    "a next line": "{}\x85".format,
    "wide blanks": _every(" ", "\u3000"),
    "no-break blanks": _every(" ", "\xa0"),
    "thin blanks": _every(" ", "\u2009"),
    "doubled blanks": _every(" ", "  "),
    "tabs for blanks": _every(" ", "\t"),
    "a filler for a blank": _every(" ", "\u3164"),
    "zero-width blanks": "\u200b".join,
    "zero-width joiners": "\u200d".join,
    "zero-width non-joiners": "\u200c".join,
    "word joiners": "\u2060".join,
    "soft hyphens": "\xad".join,
    "marks of direction": "\u200e{}\u200f".format,
    "an embedding of direction": "\u202a{}\u202c".format,
    "an isolate of direction": "\u2068{}\u2069".format,
    "variation selectors": "\ufe0f".join,
    "a grapheme joiner": "\u034f".join,
    "a byte order mark": "\ufeff{}".format,
    "NUL": "{}\x00".format,
    "control characters": "\x01\x1b{}\x7f".format,
    "full-width forms": lambda title: title.translate(FULL_WIDTH),
    "half-width forms": lambda title: title.translate(HALF_WIDTH),
    "a comment": "{}<!-- 14px -->".format,
    "a line break of HTML": "{}<br>".format,
    "named entities": _every(" ", "&ensp;"),
    "entities of entities": _every(" ", "&amp;amp;#160;"),
    "decimal entities": lambda title: "".join(f"&#{ord(character)};" for character in title),
    "hexadecimal entities": lambda title: "".join(f"&#x{ord(each):x};" for each in title),
    "entities for blanks": lambda title: title.replace(" ", "&nbsp;") + "&nbsp;",
    "emphasis": lambda title: f"<em class='hit'>{title[:3]}</em>{title[3:]}",
    "a paragraph": "<p>{}<br/></p>".format,
    "a character data section": "<![CDATA[{}]]>".format,
}


@pytest.mark.parametrize("change", UNSEEN.values(), ids=list(UNSEEN))
def test_what_a_reader_does_not_see_does_not_change_what_is_read(
    released: LoadedModel, sample_titles: list[str], change: Callable[[str], str]
):
    tokenizer = released.uncalibrated.tokenizer
    changed = [change(title) for title in sample_titles]

    assert changed != sample_titles
    assert tokenizer(changed).ids == tokenizer(sample_titles).ids


def test_what_says_nothing_gets_no_confidence(released: LoadedModel):
    (answer,) = predict(released, ["??????????????????"])

    assert not answer.readable
    assert answer.best.score == pytest.approx(0.1)


def test_traditional_titles_get_the_class_of_their_simplified_twins(
    released: LoadedModel, sample_titles: list[str]
):
    to_traditional = opencc.OpenCC("s2t").convert
    traditional = [to_traditional(title) for title in sample_titles]

    classes = released.predict_proba(traditional).argmax(axis=1)
    assert (classes == released.predict_proba(sample_titles).argmax(axis=1)).all()
    assert sum(a != b for a, b in zip(traditional, sample_titles, strict=True)) > 1200


def test_card_and_readmes_give_the_reports_figures(report: dict[str, Any]):
    shipped = {section: _of(report[section]["models"], "released") for section in report}
    card = (DEFAULT_FOLDER / "README.md").read_text(encoding="utf-8")
    assert shipped["models"]["version"] == artifact.Manifest.read(DEFAULT_FOLDER).version
    assert shipped["models"]["version"] in card
    overview = shipped["overview"]
    figures = [f"{100 * overview['score']:.1f} %", f"{overview['p50_ms']:.2f} ms"]
    figures += [
        f"{100 * row['macro_recall']:.1f} %"
        for row in shipped["newsrooms"]["newsrooms"]
        if row["newsroom"] == "thucnews"
    ]
    for document in (DEFAULT_FOLDER / "README.md", *READMES):
        text = document.read_text(encoding="utf-8")
        assert [figure for figure in figures if figure not in text] == [], document
    rows = [line for line in card.splitlines() if line.startswith("| `")]
    for row in shipped["newsrooms"]["newsrooms"]:
        (line,) = [each for each in rows if each.startswith(f"| `{row['newsroom']}`")]
        told = [row["macro_recall"], row["calibration_error"], row["outside_auroc"]]
        assert [f for f in told if f is not None and f"{100 * f:.1f} %" not in line] == []


@pytest.mark.parametrize("document", READMES, ids=lambda path: path.name)
def test_the_readmes_table_is_the_reports(document: Path, report: dict[str, Any]):
    models = report["overview"]["models"]
    lines = [line for line in document.read_text("utf-8").splitlines() if line.startswith("| `")]
    rows = {re.search(r"`([^`]+)`", line)[1]: line for line in lines}
    assert [model["name"] for model in models if model["name"] not in rows] == []
    for model in models:
        recalls = {
            row["newsroom"]: row["macro_recall"]
            for row in _of(report["newsrooms"]["models"], model["name"])["newsrooms"]
        }
        shares = [model["score"], min(recalls.values()), recalls["thucnews"]]
        figures = [f"{100 * share:.1f} %" for share in shares]
        figures += [f"{model['size_bytes'] / 1e6:.1f}", f"{model['p50_ms']:.2f}"]
        figures.append(f"{model['titles_per_s']:,.0f}")
        assert [figure for figure in figures if figure not in rows[model["name"]]] == []


def test_what_makes_it_are_commands(tmp_path: Path):
    """The recipe's commands, as `make` prints them, with `biaoti` printing what it was given."""
    make = [
        "make",
        "--no-print-directory",
        "--dry-run",
        "--file",
        "release.mk",
        f"DATA={tmp_path}",
        f"OUT={tmp_path}",
    ]
    recipe = subprocess.run(
        [*make, "BIAOTI=biaoti", "report"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    script = f"biaoti() {{ printf '%s\\0' \"$@\"; echo; }}\n{recipe.stdout}"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], capture_output=True, text=True, check=True
    )
    commands = [line.split("\0")[:-1] for line in done.stdout.splitlines()]
    assert [words[0] for words in commands] == ["distill", "quantize", "train", "train", "compare"]
    for words in commands:
        verb, rest = find(words)
        settings, _ = verb.load()
        assert isinstance(read_settings(verb, settings, rest)[0], settings)


@pytest.mark.slow
def test_pip_install_without_extras_classifies_with_it(tmp_path: Path):
    """In an environment of its own, outside the checkout, that takes less than 250 MB."""
    environment = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    python = environment / "bin" / "python"
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, "-c", ROOT / "constraints.txt", ROOT], check=True)

    (tmp_path / "a.csv").write_text(f"title,n\n{TITLE},1\n", encoding="utf-8")
    answers = [
        subprocess.run(
            [environment / "bin" / "biaoti", *words],
            cwd=tmp_path, env={"PATH": os.defpath}, capture_output=True, text=True, check=False,
        )
        for words in (["classify", "--json", TITLE], ["score", "a.csv", "--output", "b.csv"])
    ]  # fmt: skip

    assert [answer.returncode for answer in answers] == [0, 0], answers
    assert json.loads(answers[0].stdout)["ranking"][0]["label"] == "sports"
    assert f"{TITLE},1,sports," in (tmp_path / "b.csv").read_text(encoding="utf-8")
    assert not list(environment.glob("lib/*/site-packages/torch"))
    assert folder_bytes(environment) < 250_000_000
