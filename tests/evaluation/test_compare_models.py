import json
from pathlib import Path

import pytest

from cli import main
from evaluation.candidates import Candidate

SAMPLES = Path(__file__).parents[2] / "samples"


def test_it_writes_a_report_and_goes_on_where_it_was(
    sample_models: dict[str, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
):
    models = [str(sample_models["linear"]), f"quick={sample_models['fasttext']}"]
    data = ["--data", str(SAMPLES / "test.txt"), "--train", str(SAMPLES / "train.txt")]
    arguments = ["compare", *models, *data, "--output", str(tmp_path / "report"), "--no-speed"]
    arguments += ["--cache", str(tmp_path / "scores")]

    assert main(arguments) == 0

    names = ["report.html", "report.md", "report.json", "accuracy_size.svg"]
    printed = capsys.readouterr().out.splitlines()
    assert printed == [str(tmp_path / "report" / name) for name in names]
    first = (tmp_path / "report" / "report.json").read_text(encoding="utf-8")
    found = json.loads(first)
    assert [row["name"] for row in found["scores"]["models"]] == ["linear", "quick"]
    assert found["scores"]["leaked_titles"] == 0
    assert found["models"]["data"]["rows"] == 200

    monkeypatch.setattr(Candidate, "open", lambda self: pytest.fail("scored again"))
    assert main(arguments) == 0
    assert (tmp_path / "report" / "report.json").read_text(encoding="utf-8") == first


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["/none", "--data", "x.txt"], 4, "/none is not a model"),
        (["/none", "--data", "x.txt", "--rounds", "0"], 2, "rounds must be at least 1, not 0"),
        (
            ["/none", "--data", "x.txt", "--max-ms", "0"],
            2,
            "max_ms must be above 0 or inf, not",
        ),
    ],
)
def test_every_failure_has_its_exit_code(
    arguments: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]
):
    assert main(["compare", *arguments]) == code
    assert message in capsys.readouterr().err


def test_data_of_another_taxonomy_is_refused(
    sample_models: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "class.txt").write_text("weather\nsports\n")
    (tmp_path / "titles.txt").write_text("明天有雨\t0\n球队夺冠\t1\n", encoding="utf-8")
    arguments = [str(sample_models["linear"]), "--data", str(tmp_path / "titles.txt")]

    assert main(["compare", *arguments, "--output", str(tmp_path / "report")]) == 2

    assert "titles.txt has labels that 'linear' does not know: weather" in capsys.readouterr().err
    assert not (tmp_path / "report").exists()
