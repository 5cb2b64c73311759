import io
import json
from pathlib import Path

import pytest

from cli import main
from models import artifact
from models.encoder import EncoderClassifier
from models.errors import FileError
from training.loop import TrainingLoop

SAMPLES = Path(__file__).parents[2] / "samples"
VERBS = [
    ["data", "check"],
    ["data", "folds"],
    ["data", "recombine"],
    ["train", "forest"],
    ["train", "linear"],
    ["train", "nearest"],
    ["train", "width"],
    ["train", "fasttext"],
    ["train", "encoder"],
    ["pretrain"],
    ["ensemble"],
    ["average"],
    ["distill"],
    ["prune"],
    ["factorize"],
    ["quantize"],
    ["export"],
    ["evaluate"],
    ["compare"],
    ["classify"],
    ["serve"],
    ["transformer", "figures"],
    ["transformer", "cost"],
]


@pytest.fixture
def model(tmp_path: Path, tiny_classifier: EncoderClassifier) -> Path:
    artifact.save(tiny_classifier, tmp_path / "model", temperature=2.0)
    return tmp_path / "model"


@pytest.fixture
def titles_file(tmp_path: Path) -> Path:
    (tmp_path / "class.txt").write_text("stocks\nsports\neducation\n")
    path = tmp_path / "titles.txt"
    path.write_text("股市今日涨\t0\n球队比赛\tsports\n高考分数\t2\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_every_verb_explains_itself_with_an_example(
    verb: list[str], capsys: pytest.CaptureFixture[str]
):
    with pytest.raises(SystemExit) as caught:
        main([*verb, "--help"])

    text = capsys.readouterr().out
    assert caught.value.code == 0
    assert "examples:" in text
    assert f"  biaoti {' '.join(verb)} " in text


def test_training_options_show_sentence_and_default(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        main(["train", "encoder", "--help"])

    text = " ".join(capsys.readouterr().out.split())
    assert "--max-length INT Tokens of a title that are read, specials included" in text
    assert "--learning-rate FLOAT Peak rate of AdamW, at the top of the encoder. [2e-05]" in text


def test_classify_prints_a_line_a_title(model: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["classify", "--model", str(model), "股市今日涨", "球队比赛"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert [line.split("\t")[1] for line in lines] == ["股市今日涨", "球队比赛"]
    assert lines[0].split()[0] in ("股票", "体育", "教育")


def test_classify_reads_standard_input_and_writes_json(
    model: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    standard_input = io.TextIOWrapper(io.BytesIO("股市\n球队\r\n".encode()))
    monkeypatch.setattr("sys.stdin", standard_input)

    arguments = ["classify", "--model", str(model), "--json", "--top-k", "3", "高考", "-"]
    assert main(arguments) == 0

    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [record["title"] for record in records] == ["高考", "股市", "球队"]
    expected = artifact.load(model).predict_proba(["高考"])[0]
    scores = {r["label"]: r["score"] for r in records[0]["ranking"]}
    assert [scores[n] for n in ("stocks", "sports", "education")] == pytest.approx(
        expected.tolist(), abs=1e-6
    )
    assert records[0]["model"] == "model"
    assert records[0]["truncated"] is False


def test_uncalibrated_scores_are_those_before_the_temperature(
    model: Path, capsys: pytest.CaptureFixture[str]
):
    main(["classify", "--model", str(model), "--json", "--uncalibrated", "股市"])

    score = json.loads(capsys.readouterr().out)["ranking"][0]["score"]
    assert score == pytest.approx(artifact.load(model).uncalibrated.predict_proba(["股市"]).max())


def test_classify_writes_a_file(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    output = tmp_path / "out.jsonl"

    main(["classify", "--model", str(model), "--json", "--output", str(output), "股市"])

    assert capsys.readouterr().out == ""
    assert json.loads(output.read_text(encoding="utf-8"))["title"] == "股市"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"ok\n\xff\xfe\n", "<stdin>:2: not UTF-8"),
        (b"ok\n \n", "<stdin>:2: a blank line; remove it"),
        ("ok\n\u3000\u200b\n".encode(), "<stdin>:2: a blank line; remove it"),
    ],
)
def test_standard_input_that_cannot_be_used_is_placed(
    model: Path,
    content: bytes,
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))

    assert main(["classify", "--model", str(model), "-"]) == 3
    assert message in capsys.readouterr().err


def test_evaluate_reports_as_table_and_as_json(
    model: Path, titles_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    assert main(["evaluate", str(model), str(titles_file)]) == 0
    assert "accuracy " in capsys.readouterr().out

    output = tmp_path / "metrics.json"
    main(["evaluate", str(model), str(titles_file), "--json", "--output", str(output)])
    report = json.loads(output.read_text(encoding="utf-8"))
    assert report["labelled_rows"] == 3
    assert report["accuracy"] in (0, 1 / 3, 2 / 3, 1)


def test_evaluate_scores_titles_without_labels(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "bare.txt"
    path.write_text("股市今日涨\n球队比赛\n", encoding="utf-8")
    scored = tmp_path / "scored.csv"

    assert main(["evaluate", str(model), str(path)]) == 3
    assert f"{path}:1: columns: 1" in (message := capsys.readouterr().err)
    assert "or score the titles alone with --unlabelled" in message

    arguments = ["evaluate", str(model), str(path), "--unlabelled", "--predictions", str(scored)]
    assert main(arguments) == 0
    assert len(scored.read_text(encoding="utf-8").splitlines()) == 3


def test_data_check_fails_on_errors_only(titles_file: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["data", "check", str(titles_file)]) == 0
    assert "no errors" in capsys.readouterr().out

    with titles_file.open("a", encoding="utf-8") as file:
        file.write("大学生\tweather\n")
    assert main(["data", "check", str(titles_file), "--json"]) == 3
    findings = json.loads(capsys.readouterr().out)["findings"]
    assert [(found["code"], found["line"]) for found in findings] == [("unknown-label", 4)]


def test_data_check_fix_writes_a_cleaned_copy(
    titles_file: Path, capsys: pytest.CaptureFixture[str]
):
    with titles_file.open("a", encoding="utf-8") as file:
        file.write("大学生\tweather\n股市今日涨\t0\n")

    assert main(["data", "check", "--fix", str(titles_file)]) == 0

    cleaned = titles_file.with_name("titles.clean.txt").read_text(encoding="utf-8")
    assert cleaned == "股市今日涨\t0\n球队比赛\tsports\n高考分数\t2\n"


def test_titles_are_recombined_into_a_file(
    tmp_path: Path, titles_file: Path, capsys: pytest.CaptureFixture[str]
):
    output = tmp_path / "recombined.jsonl"

    assert (
        main(["data", "recombine", str(titles_file), "--each", "3", "--output", str(output)]) == 0
    )

    count = len(output.read_text(encoding="utf-8").splitlines())
    assert count > 1
    assert capsys.readouterr().out == f"{output}: {count} titles\n"


def test_training_refuses_data_with_errors_and_names_the_remedy(
    titles_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    with titles_file.open("a", encoding="utf-8") as file:
        file.write("大学生\tweather\n")
    files = ["--train", str(titles_file), "--dev", str(titles_file)]

    assert main(["train", "linear", *files, "--output", str(tmp_path / "out")]) == 3

    message = capsys.readouterr().err
    assert f"run 'biaoti data check --fix {titles_file}" in message
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["classify", "--model", "/none", "x"], 4, "/none is not a model"),
        (["data", "check", "/none.txt"], 3, "/none.txt"),
        (
            ["train", "encoder", "--train", "a", "--dev", "a", "--output", "o"],
            2,
            "pass --format txt|",
        ),
    ],
)
def test_every_failure_has_its_exit_code(
    arguments: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]
):
    assert main(arguments) == code
    error = capsys.readouterr().err
    assert error.startswith("biaoti: error: ")
    assert message in error


def test_a_setting_that_cannot_be_used_is_wrong_usage(
    titles_file: Path, tiny_encoder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    arguments = ["train", "encoder", "--train", str(titles_file), "--dev", str(titles_file)]
    arguments += ["--encoder", str(tiny_encoder), "--output", str(tmp_path / "o"), "--epochs", "0"]

    assert main(arguments) == 2
    assert "must be at least 1" in capsys.readouterr().err


def test_an_encoder_is_trained_saved_and_used(
    titles_file: Path, tiny_encoder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    output = tmp_path / "encoder"
    data = ["--train", str(titles_file), "--dev", str(titles_file), "--output", str(output)]
    arguments = ["train", "encoder", *data, "--encoder", str(tiny_encoder), "--epochs", "2"]

    assert main([*arguments, "--max-length", "32", "--learning-rate", "1e-3"]) == 0

    manifest = artifact.load(output).manifest
    assert manifest.route == "encoder"
    assert manifest.max_length == 32
    assert manifest.provenance.hyperparameters["encoder"] == str(tiny_encoder)
    assert manifest.provenance.hyperparameters["learning_rate"] == 1e-3
    assert manifest.provenance.trained_on["sha256"]
    assert "dev_accuracy" in manifest.provenance.metrics
    assert (tmp_path / "encoder.run" / "curves.png").exists()


def test_a_model_whose_save_failed_is_saved_by_the_same_command_without_training(
    titles_file: Path, tiny_encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    output, run = tmp_path / "encoder", tmp_path / "encoder.run"
    data = ["--train", str(titles_file), "--dev", str(titles_file), "--output", str(output)]
    arguments = ["train", "encoder", *data, "--encoder", str(tiny_encoder), "--epochs", "1"]

    def fail(*_: object, **__: object) -> None:
        raise OSError("no space left")

    with monkeypatch.context() as full_disk:
        full_disk.setattr(EncoderClassifier, "save_files", fail)
        assert main(arguments) == FileError.exit_code
    assert (run / "checkpoint.pt").exists()
    monkeypatch.setattr(TrainingLoop, "_train_step", fail)

    assert main(arguments) == 0
    assert artifact.load(output).manifest.route == "encoder"
    assert not (run / "checkpoint.pt").exists()
    assert not (run / "best.pt").exists()


@pytest.mark.parametrize("route", ["linear", "nearest", "width", "forest", "fasttext"])
def test_a_baseline_is_trained_on_the_samples(route: str, tmp_path: Path):
    data = ["--train", str(SAMPLES / "train.txt"), "--dev", str(SAMPLES / "dev.txt")]
    quick = {"forest": ["--trees", "50"], "fasttext": ["--epochs", "100"]}.get(route, [])

    assert main(["train", route, *data, "--output", str(tmp_path / route), *quick]) == 0

    manifest = artifact.load(tmp_path / route).manifest
    assert manifest.route == route
    chance = 0.1  # the samples' width, unlike that of real titles, tells nothing
    least = chance if route == "width" else 0.3
    assert manifest.provenance.metrics["dev_accuracy"] > least
