"""What a finding says of itself."""

from titles import CODES, Finding, Place


def test_message_names_the_other_place():
    other = Place("test", "test.txt", 7)

    assert Finding("leak-exact", "train", "train.txt", 3, other=other).to_dict() == {
        "code": "leak-exact",
        "severity": "warning",
        "split": "train",
        "path": "train.txt",
        "line": 3,
        "message": "the same title as test.txt:7 of a held-out split; "
        "biaoti data check --fix drops the row",
        "other": {"split": "test", "path": "test.txt", "line": 7},
    }


def test_the_detail_stands_before_the_remedy_of_the_code():
    finding = Finding("unknown-label", "train", "a.txt", 2, "label '9' is not one of the 2 labels")

    assert finding.message == "label '9' is not one of the 2 labels; fix the row or pass --labels"
    assert (finding.severity, str(finding.place)) == ("error", "a.txt:2")
    assert "other" not in finding.to_dict()


def test_a_finding_of_the_whole_file_has_no_line():
    assert str(Finding("no-rows", "dev", "a.txt", 0).place) == "a.txt"


def test_every_code_has_a_severity_and_a_remedy():
    assert {code.severity for code in CODES.values()} == {"error", "warning"}
    assert all(code.what and code.remedy for code in CODES.values())
