"""The report as tables for people."""

from titles import Report, SplitSummary, report_text
from titles.report_text import table


def test_text_is_laid_out_in_tables(small_report: Report):
    assert report_text(small_report) == (
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


def test_clean_report_says_so(lengths: dict[str, int]):
    report = Report({"dev": SplitSummary("dev.txt", 1, 1, lengths, None, None)}, [])

    assert "no errors\n\nno warnings\n" in report_text(report)


def test_chinese_characters_are_two_columns_wide():
    assert table([["题", "n"], ["ab", "10"]]) == "题   n\nab  10"
