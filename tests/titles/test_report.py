"""The report as JSON for programs."""

import json

from titles import Finding, Place, Report, SplitSummary

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


def test_json_holds_all_findings():
    report = json.loads(json.dumps(make_report().to_dict()))

    assert (report["errors"], report["warnings"]) == (1, 4)
    assert report["counts"] == {"unknown-label": 1, "duplicate-exact": 4}
    assert [finding["line"] for finding in report["findings"]] == [9, 20, 21, 22, 23]
    assert report["splits"]["train"] == {
        "path": "train.txt",
        "rows": 1200,
        "usable": 1199,
        "characters": LENGTHS,
        "tokens": None,
        "classes": {"finance": 900, "体育": 299},
    }
