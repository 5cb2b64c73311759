import inspect
import io
import json
import re
from pathlib import Path

import pytest

from cli import main
from cli.verbs import VERBS
from models import artifact
from models.encoder import EncoderClassifier


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


@pytest.mark.parametrize("name", VERBS)
def test_every_verb_explains_itself_with_an_example(name: str, capsys: pytest.CaptureFixture[str]):
    assert main([*name.split(), "--help"]) == 0

    text = capsys.readouterr().out
    assert "examples:" in text
    assert f"  biaoti {name} " in text


@pytest.mark.parametrize("name", VERBS)
def test_a_verbs_summary_is_the_first_line_of_its_settings(name: str):
    settings, _ = VERBS[name].load()

    assert VERBS[name].summary == inspect.cleandoc(settings.__doc__).split("\n")[0]


def test_every_verb_is_listed_with_its_summary(capsys: pytest.CaptureFixture[str]):
    assert main(["--help"]) == 0

    text = capsys.readouterr().out
    for name, verb in VERBS.items():
        assert re.search(rf"^  {name} +{re.escape(verb.summary)}$", text, re.MULTILINE)


def test_a_group_lists_its_verbs_and_is_wrong_usage_without_one(
    capsys: pytest.CaptureFixture[str],
):
    assert main(["data"]) == 2

    text = capsys.readouterr().err
    assert "data folds" in text
    assert "distill" not in text.split("\n\n")[2]


def test_a_verb_that_is_not_there_names_those_like_it(capsys: pytest.CaptureFixture[str]):
    assert main(["evalute", "m", "f"]) == 2

    assert "there is no verb 'evalute'; did you mean evaluate" in capsys.readouterr().err


def test_an_option_that_is_not_there_is_wrong_usage(capsys: pytest.CaptureFixture[str]):
    assert main(["classify", "--modle", "x", "title"]) == 2

    assert "--modle" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("encoder", "epochs", "rate"),
    [([], 5, "0.0001"), (["--encoder", "bert-base-chinese"], 3, "2e-05")],
    ids=["built-in", "another"],
)
def test_help_shows_the_values_that_will_be_used(
    encoder: list[str], epochs: int, rate: str, capsys: pytest.CaptureFixture[str]
):
    assert main(["train", "encoder", *encoder, "--help"]) == 0

    text = " ".join(capsys.readouterr().out.replace("│", "").split())
    assert "--max-length INT Tokens of a title that are read, specials included" in text
    assert f"--epochs INT Passes over the data. (default: {epochs})" in text
    rate_help = "--learning-rate FLOAT Peak rate of AdamW, at the top of the encoder."
    assert f"{rate_help} (default: {rate})" in text


def test_classify_prints_a_line_a_title(model: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["classify", "--model", str(model), "股市今日涨", "球队比赛"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert [line.split("\t")[1] for line in lines] == ["股市今日涨", "球队比赛"]
    assert lines[0].split()[0] in ("股票", "体育", "教育")


def test_classify_says_what_it_could_not_read(model: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["classify", "--model", str(model), "??????"]) == 0

    assert capsys.readouterr().out.endswith("??????  (cannot be read)\n")


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
        (b"", "<stdin>: no titles; write one a line"),
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


def test_training_refuses_data_with_errors_and_names_the_remedy(
    titles_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    with titles_file.open("a", encoding="utf-8") as file:
        file.write("大学生\tweather\n")
    dev = titles_file.with_name("dev.txt")
    dev.write_text("楼盘\tsports\n", encoding="utf-8")
    files = ["--train", str(titles_file), "--dev", str(dev)]

    assert main(["train", "linear", *files, "--output", str(tmp_path / "out")]) == 3

    message = capsys.readouterr().err
    assert f"run 'biaoti data check --fix {titles_file} {dev}' and train on the clean" in message
    assert not (tmp_path / "out").exists()


def test_training_does_not_send_to_a_fix_that_would_refuse(
    titles_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    titles_file.write_text("股市 0\n球队 1\n高考 2\n房价 0\n", encoding="utf-8")
    files = ["--train", str(titles_file), "--dev", str(titles_file)]

    assert main(["train", "linear", *files, "--output", str(tmp_path / "out")]) == 3
    message = capsys.readouterr().err
    assert main(["data", "check", "--fix", str(titles_file)]) == 3

    assert "--fix" not in message
    assert "4 of 4 rows cannot be used, 4 of them by column-count as line 1" in message
    assert "(a space stands before '0')" in message


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
