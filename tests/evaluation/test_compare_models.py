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

    names = ["report.html", "report.md", "report.json"]
    names += ["accuracy_size.svg", "reliability.svg", "coverage.svg"]
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
        (
            ["/none", "--data", "x.txt", "--max-ms", "2", "--no-speed"],
            2,
            "a limit of speed needs speed to be measured",
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

    assert main(["compare", *arguments, "--output", str(tmp_path / "report")]) == 3

    assert "label 0 is 'weather', not one of the 10 labels" in capsys.readouterr().err
    assert not (tmp_path / "report").exists()


def test_several_newsrooms_are_compared_by_their_own_labels(
    sample_models: dict[str, Path], tmp_path: Path
):
    """Of `wire`, finance may be either of two classes, cars are none; `blog` has dates."""
    rows = [line.split("\t") for line in (SAMPLES / "test.txt").read_text("utf-8").splitlines()]
    names = (SAMPLES / "class.txt").read_text("utf-8").split()
    wire = [f"{title}\t{names[int(label)]}" for title, label in rows[:100]]
    wire += [f"新车上市 {i} 万元起\tcars" for i in range(5)]
    (tmp_path / "wire.txt").write_text("\n".join(wire) + "\n", encoding="utf-8")
    blog = [
        json.dumps({"title": title, "label": names[int(label)], "date": f"2026-0{6 + i % 2}-01"})
        for i, (title, label) in enumerate(rows[100:])
    ]
    (tmp_path / "blog.jsonl").write_text("\n".join(blog) + "\n", encoding="utf-8")
    meanings = [f"*\t{name}\t{name}" for name in names if name != "finance"]
    meanings += ["*\tfinance\tfinance|stocks", "*\tcars\toutside"]
    (tmp_path / "map.tsv").write_text("\n".join(meanings) + "\n", encoding="utf-8")
    arguments = ["compare", *map(str, sample_models.values()), "--no-speed"]
    for name in ("wire.txt", "blog.jsonl"):
        arguments += ["--data", str(tmp_path / name)]
    arguments += ["--class-map", str(tmp_path / "map.tsv"), "--cache", str(tmp_path / "scores")]

    assert main([*arguments, "--output", str(tmp_path / "report")]) == 0

    found = json.loads((tmp_path / "report" / "report.json").read_text(encoding="utf-8"))
    summary = found["summary"]
    assert summary["metric"] == "macro recall"
    told = [(each["name"], each["outside"], each["first"]) for each in summary["data_sets"]]
    assert told == [("wire", 5, None), ("blog", 0, "2026-06-01")]
    best = summary["cards"][0]
    assert best["score"] == pytest.approx(sum(best["newsrooms"].values()) / 2)
    assert best["worst_newsroom"] == min(best["newsrooms"], key=best["newsrooms"].get)
    assert {each["part"] for each in found["months"]["slices"]} == {"2026-06", "2026-07"}
    assert {each["newsroom"] for each in found["lengths"]["slices"]} == {"all", "wire", "blog"}
    assert found["newsrooms"][0]["newsrooms"][0]["outside"] == 5
