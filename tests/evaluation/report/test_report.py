import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from evaluation.compare import Comparison
from evaluation.report import SECTIONS, Content, Section, write_report
from evaluation.report.blocks import Paragraph
from evaluation.report.words import interval, label, listing, p_equals, percent
from evaluation.report.write import REPORT
from models.errors import FileError, UsageError
from models.labels import Labels
from models.outputs import claim_folder

LABELS = Labels(("stocks", "sports", "a<b"), ("股票", "体育", "a<b"))
RIGHT = {"teacher": 960, "学生|int8": 956, "<script>alert(1)</script>": 900}


class Tables(HTMLParser):
    """The cells of every table, and what is referred to."""

    def __init__(self, text: str):
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self.references: list[str] = []
        self.tags: set[str] = set()
        self.in_cell = False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.references += [
            value
            for name, value in attributes
            if name in ("src", "href", "xlink:href", "srcset", "data", "action")
        ]
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
            self.in_cell = True

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.in_cell = False

    def handle_data(self, data):
        if self.in_cell:
            self.tables[-1][-1][-1] += data.replace("\u00a0", " ")


def markdown_tables(text: str) -> list[list[list[str]]]:
    """The cells of every table, unescaped."""
    found = []
    for block in re.findall(r"(?:^\|.*\|\n)+", text, flags=re.MULTILINE):
        rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in block.splitlines()]
        cells = [[re.sub(r"\\(.)", r"\1", cell.strip()) for cell in row] for row in rows]
        found.append([cells[0], *cells[2:]])
    return found


@pytest.fixture
def comparison(make_comparison) -> Comparison:
    return make_comparison(
        RIGHT,
        labels=LABELS,
        titles=[f"标题 {i} <img src=x> | *重磅*" for i in range(1000)],
        sizes=[450_000_000, 14_200_000, 9_000_000],
        speeds=[(15.0, 100, 900), (1.1, 2600, 200), (0.2, 7000, 140)],
    )


@pytest.fixture
def report(comparison: Comparison, tmp_path: Path) -> Path:
    write_report(comparison, tmp_path / "report")
    return tmp_path / "report"


def test_the_page_needs_nothing_else(report: Path):
    text = (report / "report.html").read_text(encoding="utf-8")
    page = Tables(text)

    assert page.references
    assert all(reference.startswith("#") for reference in page.references)
    assert not page.tags & {"script", "link", "img", "iframe", "object", "embed", "base"}
    assert not re.search(r"@import|url\(\s*['\"]?(?!#)", text)
    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in text


def test_page_and_markdown_have_the_same_tables(report: Path):
    page = Tables((report / "report.html").read_text(encoding="utf-8"))
    markdown = markdown_tables((report / "report.md").read_text(encoding="utf-8"))

    assert len(page.tables) == len(markdown) >= 12
    assert page.tables == markdown


def test_tables_and_json_have_the_same_numbers(report: Path, comparison: Comparison):
    data = json.loads((report / "report.json").read_text(encoding="utf-8"))
    overview, scores = Tables((report / "report.html").read_text(encoding="utf-8")).tables[:2]

    assert [row["name"] for row in data["overview"]["models"]] == list(RIGHT)
    for row, cells in zip(data["overview"]["models"], overview[1:], strict=True):
        assert f"{100 * row['accuracy']:.2f} %" in cells
        assert f"{row['size_bytes'] / 1e6:,.1f}" in cells
        assert f"{row['p50_ms']:.2f}" in cells
    for row, cells in zip(data["scores"]["models"], scores[1:], strict=True):
        shown = [
            percent(row["accuracy"]),
            interval(row["interval_95"]["accuracy"]),
            percent(row["macro_f1"]),
            interval(row["interval_95"]["macro_f1"]),
        ]
        assert cells == [row["name"], *(each.replace("\u00a0", " ") for each in shown)]
    assert [row["accuracy"] for row in data["scores"]["models"]] == [0.96, 0.956, 0.9]
    assert list(data) == [section.id for section in SECTIONS]


def test_names_and_titles_are_escaped(report: Path):
    page = Tables((report / "report.html").read_text(encoding="utf-8"))
    markdown = (report / "report.md").read_text(encoding="utf-8")

    cells = {cell for table in page.tables for row in table for cell in row}
    assert {"<script>alert(1)</script>", "标题 0 <img src=x> | *重磅*", "a<b"} <= cells
    assert r"标题 0 \<img src=x\> \| \*重磅\*" in markdown
    assert "<script>" not in markdown


def test_pictures_lie_beside_the_markdown_with_letters_every_machine_has(report: Path):
    markdown = (report / "report.md").read_text(encoding="utf-8")
    page = (report / "report.html").read_text(encoding="utf-8")

    files = re.findall(r"^!\[.*\]\((.*)\)$", markdown, flags=re.MULTILINE)
    assert files == ["accuracy_size.svg", "accuracy_latency.svg"]
    for name in files:
        assert (report / name).read_text().startswith("<?xml")
    assert "学生|int8 (model 2)" in page  # its name in the pictures


def said(folder: Path) -> str:
    """The report in Markdown, without its escapes."""
    text = (folder / "report.md").read_text(encoding="utf-8")
    return re.sub(r"\\(.)", r"\1", text)


def test_the_first_paragraph_says_what_to_deploy(report: Path):
    opening, bullets = said(report).split("\n\n")[2:4]

    assert opening.startswith(
        "**Deploy teacher where accuracy is all that counts; 学生|int8 where files must be small, "
        "one title must be answered fast, many titles must be got through or memory is short.** "
        "3 models scored the 1,000 titles of made-up.txt."
    )
    assert bullets.split("\n") == [
        "- **teacher is the most accurate:** 96.00 % of titles right (95 % interval "
        "94.70–97.20 %), 450.0 MB, p50 15.00 ms. Its lead may be chance over 学生|int8 "
        "(0.40 points; p = 0.125, corrected for 3 pairs 0.125).",
        "- **学生|int8 is good enough:** smallest (14.2 MB, not 450.0 MB), fastest answer to one "
        "title (p50 1.10 ms, not p50 15.00 ms), most titles a second (2,600 titles/s, not 100 "
        "titles/s) and least memory (200 MiB, not 900 MiB). It gets 0.40 points less right than "
        "teacher, which 1,000 titles cannot tell from chance (p = 0.125, corrected for 3 pairs "
        "0.125).",
        "- **Cheaper still, at a price in accuracy:** <script>alert(1)</script> (6.00 points less, "
        "9.0 MB, p50 0.20 ms).",
    ]


def test_a_small_file_earns_a_caution(make_comparison, tmp_path: Path):
    comparison = make_comparison({"a": 48, "b": 46}, of=50, sizes=[2_000_000, 1_000_000])

    write_report(comparison, tmp_path)

    assert (
        "It gets 4.00 points less right than a, which 50 titles cannot tell from chance "
        "(p = 0.500); score more titles before relying on it." in said(tmp_path)
    )


@pytest.mark.parametrize(
    ("extra", "verdict"),
    [
        ({}, "than a, by more than chance (p = 0.031)"),
        ({"c": 990}, "probably by more than chance (p = 0.031, corrected for 3 pairs 0.094)"),
    ],
)
def test_what_only_the_uncorrected_test_sees_is_called_probable(
    make_comparison, tmp_path: Path, extra: dict[str, int], verdict: str
):
    """Of 1,000 titles a alone gets 6 right, b none: exact p = 2 · 0.5⁶ = 0.031."""
    right = {"a": 994, "b": 988, **extra}

    write_report(make_comparison(right, sizes=[3, 1, 2]), tmp_path)

    assert verdict in said(tmp_path)


def test_without_other_choices_the_best_is_named(make_comparison, tmp_path: Path):
    write_report(make_comparison({"a": 950, "b": 900}, sizes=[2, 1]), tmp_path)

    text = said(tmp_path)
    assert "**Deploy a: no other model is as good and costs less.**" in text
    assert "It is better than every other by more than chance." in text


def test_where_all_good_models_exceed_a_limit_the_best_within_it_is_named(
    make_comparison, tmp_path: Path
):
    right = {"a": 980, "b": 950, "c": 900}
    comparison = make_comparison(right, sizes=[90_000_000, 12_000_000, 1_000_000])

    write_report(comparison, tmp_path)

    text = said(tmp_path)
    assert "**Deploy a where accuracy is all that counts; b where a model may have 15 MB.**" in text
    assert (
        "- **Where a model may have 15 MB:** b is the most accurate, with 12.0 MB. It gets 3.00 "
        "points less right than a, by more than chance (p < 0.001, corrected for 3 pairs <0.001)."
    ) in text


def test_without_speed_and_with_one_model_the_rest_stands(make_comparison, tmp_path: Path):
    write_report(make_comparison({"only": 900}), tmp_path)

    data = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert "speed" not in data
    assert "significance" not in data
    assert data["overview"]["fronts"] == {"size": ["only"]}
    assert not (tmp_path / "accuracy_latency.svg").exists()


def test_a_section_is_added_by_a_list(comparison: Comparison, tmp_path: Path):
    def write(given: Comparison) -> Content:
        return Content([Paragraph(f"{len(given.models)} models")], {"models": len(given.models)})

    write_report(comparison, tmp_path, [*SECTIONS, Section("audit", "Label audit", write)])

    assert "<h2>Label audit</h2>\n<p>3 models</p>" in (tmp_path / "report.html").read_text()
    assert (tmp_path / "report.md").read_text().endswith("## Label audit\n\n3 models\n")
    assert json.loads((tmp_path / "report.json").read_text())["audit"] == {"models": 3}


def test_errors_of_all_models_come_with_the_most_confident_first(comparison: Comparison):
    data = json.loads(json.dumps(SECTIONS[-2].write(comparison).data))

    assert data["wrong_in_all"] == 40
    assert len(data["examples"]) == 20
    first = data["examples"][0]
    assert (first["title"], first["gold"]) == (comparison.data.titles[0], "stocks")
    assert set(first["predicted"].values()) == {"sports"}
    assert first["mean_confidence"] == pytest.approx(0.9)


def test_a_report_is_written_where_one_was_or_nothing_and_nowhere_else(
    report: Path, comparison: Comparison, tmp_path: Path
):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "report.html").touch()
    (tmp_path / "begun" / "report.html").mkdir(parents=True)  # ends the writing halfway
    with pytest.raises(FileError, match=r"begun cannot be written \(Is a directory\)"):
        write_report(comparison, tmp_path / "begun")
    (tmp_path / "begun" / "report.html").rmdir()

    for folder in (report, tmp_path / "begun"):
        claim_folder(folder, [], REPORT)
    with pytest.raises(UsageError, match=r"is not a report: it has no report\.json;"):
        claim_folder(tmp_path / "mine", [], REPORT)


def test_figures_are_written_as_they_are_read():
    """No line ends before a sign: U+00A0 stands there."""
    assert percent(0.93741) == "93.74\u00a0%"
    assert interval((0.9326, 0.94211)) == "93.26–94.21\u00a0%"
    assert p_equals(0.0004) == "p\u00a0<\u00a00.001"
    assert p_equals(0.031) == "p\u00a0=\u00a00.031"
    assert [listing(words) for words in (["a"], ["a", "b", "c"])] == ["a", "a, b and c"]
    assert [label(LABELS, i) for i in (0, 2)] == ["股票 stocks", "a<b"]


def test_what_is_remarkable_stands_below_what_to_deploy(make_comparison, tmp_path: Path):
    comparison = make_comparison({"good": 950, "guesses": 350}, sizes=[9_000_000, 1_000])

    write_report(comparison, tmp_path)

    told = "guesses gets 35.00% of made-up.txt right, where answering 'stocks' to every title gets"
    data = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert [remark["code"] for remark in data["remarks"]] == ["no-better-than-majority"]
    assert data["remarks"][0]["message"].startswith(told)
    markdown = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert markdown.index("## Which model") < markdown.index("## Before you believe it")
    assert f"- **no-better-than-majority:** {told}" in markdown
    assert "no-better-than-majority" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_where_nothing_is_remarkable_that_is_said(make_comparison, tmp_path: Path):
    write_report(make_comparison({"good": 950}), tmp_path)

    assert json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["remarks"] == []
    markdown = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "Nothing was noticed that speaks against these figures." in markdown
