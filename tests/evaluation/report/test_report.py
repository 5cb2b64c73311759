import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from evaluation.comparison import Comparison
from evaluation.limits import Limits
from evaluation.report import SECTIONS, Content, Section, write_report
from evaluation.report.blocks import Paragraph
from evaluation.report.words import interval, label, listing, p_equals, percent
from evaluation.report.write import REPORT
from models.errors import FileError, UsageError
from models.labels import Labels
from models.outputs import claim_folder
from scoring.robustness import FormFlips

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
    """The cells of every table, unescaped; bold ones like the others."""
    found = []
    for block in re.findall(r"(?:^\|.*\|\n)+", text, flags=re.MULTILINE):
        rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in block.splitlines()]
        plain = [[re.sub(r"^\*\*(.*)\*\*$", r"\1", cell.strip()) for cell in row] for row in rows]
        cells = [[re.sub(r"\\(.)", r"\1", cell) for cell in row] for row in plain]
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

    assert page.references  # none of them a script's, which stands in the page itself
    assert all(reference.startswith("#") for reference in page.references)
    assert not page.tags & {"link", "img", "iframe", "object", "embed", "base"}
    assert text.count("<script>") == 1
    assert "fetch(" not in text
    assert not re.search(r"@import|url\(\s*['\"]?(?!#)", text)
    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in text


def test_page_and_markdown_have_the_same_tables(report: Path):
    page = Tables((report / "report.html").read_text(encoding="utf-8"))
    markdown = markdown_tables((report / "report.md").read_text(encoding="utf-8"))

    assert len(page.tables) == len(markdown) >= 12
    assert page.tables == markdown


def test_tables_and_json_have_the_same_numbers(report: Path):
    data = json.loads((report / "report.json").read_text(encoding="utf-8"))
    tables = Tables((report / "report.html").read_text(encoding="utf-8")).tables
    overview = {cells[0].removeprefix("▶ "): cells for cells in tables[0]}
    scores = {
        cells[0].removeprefix("▶ "): cells
        for table in tables
        if table[0][1:4] == ["accuracy", "95 % interval", "macro-F1"]
        for cells in table[1:]
    }

    assert [row["name"] for row in data["overview"]["models"]] == list(RIGHT)
    for i, row in enumerate(data["overview"]["models"], 1):
        name = row["name"] if row["name"].isascii() else f"{row['name']} (model {i})"
        cells = overview[name]
        assert f"{100 * row['accuracy']:.2f} %" in cells
        assert f"{row['size_bytes'] / 1e6:,.1f}" in cells
        assert f"{row['p50_ms']:.2f}" in cells
        assert f"{row['core_hours_per_million']:.2g}" in cells
    for row in data["scores"]["models"]:
        shown = [
            percent(row["accuracy"]),
            interval(row["interval_95"]["accuracy"]),
            percent(row["macro_f1"]),
            interval(row["interval_95"]["macro_f1"]),
        ]
        assert scores[row["name"]][1:] == [each.replace("\u00a0", " ") for each in shown]
    assert [row["accuracy"] for row in data["scores"]["models"]] == [0.96, 0.956, 0.9]
    optional = {"newsrooms", "months", "forms"}
    assert list(data) == [each.id for each in SECTIONS if each.id not in optional]


def test_models_stand_in_groups_with_the_best_first_and_the_recommended_marked(
    make_comparison, tmp_path: Path
):
    right = {"fasttext": 900, "linear": 910, "encoder": 950, "no-teacher": 940, "int8": 946}
    routes = {"fasttext": "fasttext", "linear": "linear", "encoder": "encoder"}
    routes |= {"int8": "onnx", "no-teacher": "student"}
    comparison = make_comparison(right, sizes=[9, 8, 90, 12, 12], routes=routes)

    write_report(comparison, tmp_path)

    (overview, *_) = markdown_tables((tmp_path / "report.md").read_text(encoding="utf-8"))
    assert [row[0] for row in overview[1:]] == [
        "Baselines",
        "linear",
        "fasttext",
        "Encoders",
        "encoder",
        "Compressed",
        "▶ int8",
        "Ablations",
        "no-teacher",
    ]
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert '<tr class="marked"><th scope="row">▶ int8</th>' in page
    assert '<tr class="group"><th scope="rowgroup">Encoders</th>' in page


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
    assert files == [
        "accuracy_latency.svg",
        "accuracy_size.svg",
        "accuracy_throughput.svg",
        "reliability.svg",
        "coverage.svg",
    ]
    for name in files:
        assert (report / name).read_text().startswith("<?xml")
    assert "学生|int8 (model 2)" in page  # its name in the pictures


def said(folder: Path) -> str:
    """The report in Markdown, without its escapes."""
    text = (folder / "report.md").read_text(encoding="utf-8")
    return re.sub(r"\\(.)", r"\1", text)


def test_the_first_screen_says_what_was_measured_and_what_to_deploy(report: Path):
    facts, verdict, best, rows = said(report).split("\n\n")[2:6]

    assert facts.split("\n") == [
        "- Titles: made-up.txt 1,000 titles",
        "- Made: 2026-12-01, 3 models",
        "- Machine: a test's, 2 cores, avx2",
    ]
    assert verdict == (
        "**Deploy 学生|int8.** It gets 95.60 % of the titles right. It loses 0.40 points against "
        "teacher, which 1,000 titles cannot tell from chance (p = 0.125, corrected for 3 pairs "
        "0.125). It is 32 times smaller and answers a title 14 times as fast."
    )
    assert best == "**Most accurate: teacher**, 96.00 % (accuracy, 95 % interval 94.70–97.20 %)"
    assert rows.split("\n") == [
        "- size: 450.0 MB",
        "- one title, p50: 15.00 ms",
        "- titles a second: 100",
        "- a million titles: 5.6 core-hours",
    ]
    assert "**Smallest good one: ▶ 学生|int8**" in said(report)
    assert "**Fastest good one: ▶ 学生|int8**" in said(report)


def verdict_of(comparison: Comparison, folder: Path) -> str:
    write_report(comparison, folder)
    found: str = json.loads((folder / "report.json").read_text("utf-8"))["summary"]["verdict"]
    return found.replace("\u00a0", " ")


def test_a_small_file_earns_a_caution(make_comparison, tmp_path: Path):
    comparison = make_comparison({"a": 48, "b": 46}, of=50, sizes=[2_000_000, 1_000_000])

    assert (
        "It loses 4.00 points against a, which 50 titles cannot tell from chance "
        "(p = 0.500); score more titles before relying on it." in verdict_of(comparison, tmp_path)
    )


@pytest.mark.parametrize(
    ("extra", "verdict"),
    [
        ({}, "against a, more than chance (p = 0.031)"),
        ({"c": 990}, "probably more than chance (p = 0.031, corrected for 3 pairs 0.094)"),
    ],
)
def test_what_only_the_uncorrected_test_sees_is_called_probable(
    make_comparison, tmp_path: Path, extra: dict[str, int], verdict: str
):
    """Of 1,000 titles a alone gets 6 right, b none: exact p = 2 · 0.5⁶ = 0.031."""
    right = {"a": 994, "b": 988, **extra}

    assert verdict in verdict_of(make_comparison(right, sizes=[3, 1, 2]), tmp_path)


@pytest.mark.parametrize(
    ("others", "lead"),
    [
        ({"b": 900}, "It is better than every other by more than chance."),
        ({"b": 948}, "Its lead may be chance over b (0.20 points; p = 0.500)."),
    ],
)
def test_of_the_best_it_is_said_whether_its_lead_is_chance(
    make_comparison, tmp_path: Path, others: dict[str, int], lead: str
):
    comparison = make_comparison({"a": 950, **others}, sizes=[1, 2])

    got = "Deploy a. It gets 95.00 % of the titles right."
    assert verdict_of(comparison, tmp_path) == f"{got} {lead}"


def test_where_all_are_at_chance_none_is_recommended(make_comparison, tmp_path: Path):
    assert verdict_of(make_comparison({"a": 345, "b": 340}), tmp_path) == (
        "Deploy none of these models. Even a, the most accurate, is no better than chance: the "
        "most frequent class answered to every title would be about as good."
    )


def test_limits_that_were_given_decide_and_are_said(make_comparison, tmp_path: Path):
    right = {"a": 980, "b": 950, "c": 900}
    sizes = [90_000_000, 12_000_000, 1_000_000]
    limited = make_comparison(right, sizes=sizes, limits=Limits(max_mb=15))

    assert verdict_of(limited, tmp_path) == (
        "Deploy b: within your limits (at most 15 MB). Beyond your limits there is a, 3.00 points "
        "better (p < 0.001, corrected for 3 pairs <0.001). It gets 95.00 % of the titles right. It "
        "is better than every other within them by more than chance."
    )
    assert "- Limits: at most 15 MB" in said(tmp_path)
    assert verdict_of(replace(limited, limits=Limits(max_mb=0.5)), tmp_path).startswith(
        "Deploy a. No model keeps your limits (at most 0.5 MB); they are left aside here."
    )
    assert "limits" not in verdict_of(replace(limited, limits=Limits()), tmp_path)


def test_over_newsrooms_the_cards_say_the_worst_and_tables_have_each(
    make_comparison, tmp_path: Path
):
    """Of the first newsroom 40 of 200 titles are wrong, of the second none."""
    comparison = make_comparison(
        {"a": 360, "b": 300},
        of=400,
        newsrooms=["weibo", "wire"],
        dates=["2026-06-01"] * 100 + ["2026-07-02"] * 100 + [None] * 200,
    )

    verdict = verdict_of(comparison, tmp_path)

    assert verdict.startswith(
        "Deploy a. Its macro recall is 90.00 %, the mean of 2 newsrooms; the worst is weibo with "
        "80.00 %."
    )
    assert "- weibo (worst): 80.00 %\n- wire: 100.00 %" in said(tmp_path)
    assert "weibo 200 titles, 2026-06-01 to 2026-07-02; wire 200 titles" in said(tmp_path)
    tables = markdown_tables((tmp_path / "report.md").read_text(encoding="utf-8"))
    (by_newsroom,) = [table for table in tables if table[0] == ["model", "weibo", "wire", "mean"]]
    assert by_newsroom[1] == ["▶ a", "80.00 %", "100.00 %", "90.00 %"]
    (by_month,) = [table for table in tables if table[0][0] == "month"]
    assert by_month[1:] == [
        ["2026-06", "100", "60.00 %", "50.20–69.06 %"],
        ["2026-07", "100", "100.00 %", "96.30–100.00 %"],
    ]
    (by_length,) = [table for table in tables if table[0][0] == "characters"]
    assert by_length[0][1:] == ["titles", "right", "95 % interval", "weibo", "wire"]
    assert by_length[1][4:] == ["80.00 % of 200", "100.00 % of 200"]


def test_of_as_large_a_model_only_the_speed_is_said(make_comparison, tmp_path: Path):
    comparison = make_comparison({"a": 950, "b": 948}, speeds=[(3, 100, 9), (1, 100, 9)])

    assert verdict_of(comparison, tmp_path).endswith(
        "which 1,000 titles cannot tell from chance (p = 0.500). It answers a title 3.0 times as "
        "fast."
    )


def test_flips_by_form_are_shown_where_they_were_tried(make_comparison, tmp_path: Path):
    comparison = make_comparison({"a": 950})
    comparison = replace(comparison, forms=(FormFlips("hashtag", 800, 0.0125),))

    write_report(comparison, tmp_path)

    assert "| hashtag | 800 | 1.25 % |" in said(tmp_path).replace("\u00a0", " ")


def test_confusions_shade_errors_alone_and_come_with_titles(report: Path):
    """Of the 334 titles of stocks 15 are taken for sports, the largest share of a class."""
    page = (report / "report.html").read_text(encoding="utf-8")

    row = page[page.index('<th scope="row">股票 stocks</th><td class="number">319</td>') :]
    assert row.startswith(
        '<th scope="row">股票 stocks</th><td class="number">319</td>'
        '<td class="number" style="--shade:1.00">15</td><td class="number">·</td>'
    )
    told = "- **股票 stocks → 体育 sports: 15 titles, 4.49 % of its class:** 「标题 0 <img"
    assert told in said(report)


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
    section = next(each for each in SECTIONS if each.id == "errors")
    data = json.loads(json.dumps(section.write(comparison).data))

    assert data["wrong_in_all"] == 40
    assert len(data["examples"]) == 20
    first = data["examples"][0]
    assert (first["title"], first["gold"]) == (comparison.data.titles[0], ["stocks"])
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
