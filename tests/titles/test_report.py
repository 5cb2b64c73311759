"""The report as JSON for programs."""

import json

from titles import Report


def test_json_holds_all_findings(small_report: Report, lengths: dict[str, int]):
    report = json.loads(json.dumps(small_report.to_dict()))

    assert (report["errors"], report["warnings"]) == (1, 4)
    assert report["counts"] == {"unknown-label": 1, "duplicate-exact": 4}
    assert [finding["line"] for finding in report["findings"]] == [9, 20, 21, 22, 23]
    assert report["splits"]["train"] == {
        "path": "train.txt",
        "rows": 1200,
        "usable": 1199,
        "characters": lengths,
        "tokens": None,
        "classes": {"finance": 900, "体育": 299},
        "unknown_labels": {"14": 1},
        "kept": 1195,
        "kept_classes": {"finance": 896, "体育": 299},
        "left_out": [],
    }
