"""The report as tables for people."""

from titles import Finding, Place, Report, SplitSummary, report_text
from titles.report_text import table

LENGTHS = {"p1": 2, "p50": 4, "p90": 6, "p99": 6, "max": 6}


def make_report() -> Report:
    summary = SplitSummary("train.txt", 1200, 1199, LENGTHS, None, {"finance": 900, "体育": 299})
    findings = [
        Finding("unknown-label", "train", "train.txt", 9, "label '14' is not one of the 2 labels"),
        *(
            Finding("duplicate-exact", "train", "train.txt", i, "", Place("train", "train.txt", 1))
            for i in range(20, 24)
        ),
    ]
    return Report({"train": summary}, findings)


def test_text_is_laid_out_in_tables():
    assert report_text(make_report()) == (
        "split   rows  usable  errors  warnings  file\n"
        "train  1,200   1,199       1         4  train.txt\n"
        "\n"
        "errors         count  first places\n"
        "unknown-label      1  train.txt:9: label '14' is not one of the 2 labels\n"
        "                      -> fix the row or pass --labels\n"
        "\n"
        "warnings         count  first places\n"
        "duplicate-exact      4  train.txt:20 = train.txt:1\n"
        "                        train.txt:21 = train.txt:1\n"
        "                        train.txt:22 = train.txt:1\n"
        "                        -> biaoti data check --fix drops the row\n"
        "\n"
        "length                     p1  p50  p90  p99  max\n"
        "characters a title, train   2    4    6    6    6\n"
        "\n"
        "class    train\n"
        "finance    900  75.1%\n"
        "体育       299  24.9%\n"
    )


def test_clean_report_says_so():
    report = Report({"dev": SplitSummary("dev.txt", 1, 1, LENGTHS, None, None)}, [])

    assert "no errors\n\nno warnings\n" in report_text(report)


def test_chinese_characters_are_two_columns_wide():
    assert table([["题", "n"], ["ab", "10"]]) == "题   n\nab  10"
