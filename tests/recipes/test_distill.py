import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer, pre_tokenizers, processors
from tokenizers import models as unigrams

from cli import main
from models import artifact
from models.encoder import EncoderClassifier
from models.student import StudentClassifier
from models.tokenization import TitleTokenizer
from titles import LabelledTitles

SHORT = ["--epochs", "2", "--learning-rate", "1e-3", "--max-length", "32", "--layers", "2"]


@pytest.fixture
def data(tmp_path: Path, three_topics: LabelledTitles) -> list[str]:
    """Options for a train and a dev file; one title of more.txt stands in dev, one in test."""
    rows = [f"{t}\t{i}" for t, i in zip(three_topics.titles, three_topics.label_ids, strict=True)]
    (tmp_path / "class.txt").write_text("stocks\nsports\neducation\n")
    for name, lines in {
        "train": rows[::2],
        "dev": rows[1::2],
        "more": ["大学生球队", "股市涨", "今日房价", "今日房价", rows[1].split("\t")[0]],
        "test": ["股市涨"],
    }.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return ["--train", str(tmp_path / "train.txt"), "--dev", str(tmp_path / "dev.txt")]


@pytest.fixture
def models(
    tmp_path: Path, tiny_classifier: EncoderClassifier, tiny_student: StudentClassifier
) -> list[str]:
    artifact.save(tiny_student, tmp_path / "a", temperature=0.5)
    artifact.save(tiny_classifier, tmp_path / "b", temperature=2.0)
    return [str(tmp_path / "a"), str(tmp_path / "b")]


@pytest.fixture
def cache(tmp_path: Path) -> list[str]:
    return ["--cache", str(tmp_path / "cache")]


@pytest.fixture
def ensemble(tmp_path: Path, data: list[str], models: list[str], cache: list[str]) -> Path:
    output = tmp_path / "ensemble"
    assert main(["ensemble", *models, *data[2:], "--output", str(output), *cache]) == 0
    return output


def test_models_are_joined_with_weights_fitted_on_dev(ensemble: Path, three_topics: LabelledTitles):
    loaded = artifact.load(ensemble)

    weights = json.loads((ensemble / "ensemble.json").read_text())["weights"]
    assert list(weights) == ["a", "b"]
    assert sum(weights.values()) == pytest.approx(1.0)
    dev = three_topics.take(range(1, len(three_topics), 2))
    right = loaded.predict_proba(dev.titles).argmax(axis=1) == dev.label_ids
    assert loaded.manifest.provenance.metrics["dev_accuracy"] == pytest.approx(right.mean())
    assert loaded.manifest.provenance.hyperparameters["members"]["b"] == (
        artifact.load(ensemble.parent / "b").manifest.version
    )


def test_students_of_one_line_become_their_mean(
    tmp_path: Path, data: list[str], models: list[str], three_topics: LabelledTitles
):
    a, b = str(tmp_path / "a"), str(tmp_path / "next")
    distill = ["distill", "--teacher", a, *SHORT[:4], "--layers", "3", *data, "--output", b]
    assert main([*distill, "--cache", str(tmp_path / "cache")]) == 0

    assert main(["average", a, b, *data[2:], "--output", str(tmp_path / "mean")]) == 0

    mean = artifact.load(tmp_path / "mean")
    first, second, found = (
        each.uncalibrated.network.state_dict() for each in (*map(artifact.load, (a, b)), mean)
    )
    for name, weight in found.items():
        torch.testing.assert_close(weight, (first[name] + second[name]) / 2)
    assert list(mean.manifest.provenance.hyperparameters["averaged"]) == ["a", "next"]


def test_an_ensemble_teaches_a_student_cut_from_its_first_encoder(
    tmp_path: Path, ensemble: Path, data: list[str], cache: list[str],
    capsys: pytest.CaptureFixture[str],
):  # fmt: skip
    arguments = ["distill", "--teacher", str(ensemble), *data, *cache, *SHORT]
    arguments += ["--unlabelled", str(tmp_path / "more.txt")]
    arguments += ["--exclude", str(tmp_path / "test.txt"), "--d-ff", "32", "--dropout", "0"]

    assert main([*arguments, "--output", str(tmp_path / "student")]) == 0

    said = capsys.readouterr().err
    assert "18 titles with a label, 2 without" in said
    student = artifact.load(tmp_path / "student")
    used = student.manifest.provenance.hyperparameters
    assert student.manifest.route == "student"
    assert used["teacher"]["version"] == artifact.load(ensemble).manifest.version
    assert used["start"]["name"] == "a"
    assert (used["layers"], used["d_ff"], used["alpha"]) == ([0, 2], 32, 0.9)
    assert [layer.d_ff for layer in student.uncalibrated.config.layers] == [32, 32]
    trained_on = student.manifest.provenance.trained_on
    assert trained_on["rows"] == 18
    assert [each["name"] for each in trained_on["unlabelled"]] == ["more.txt"]
    assert "dev_accuracy" in student.manifest.provenance.metrics
    assert (tmp_path / "student.run" / "curves.png").exists()


def test_a_second_student_costs_the_teacher_nothing(
    tmp_path: Path, models: list[str], data: list[str], cache: list[str],
    monkeypatch: pytest.MonkeyPatch,
):  # fmt: skip
    arguments = ["distill", "--teacher", models[1], *data, *cache, *SHORT]
    assert main([*arguments, "--output", str(tmp_path / "one")]) == 0
    train = (tmp_path / "train.txt").read_text(encoding="utf-8").splitlines()
    asked: list[str] = []
    original = EncoderClassifier.predict_proba

    def spy(self: EncoderClassifier, titles: list[str]) -> np.ndarray:
        asked.extend(titles)
        return original(self, titles)

    monkeypatch.setattr(EncoderClassifier, "predict_proba", spy)
    assert main([*arguments, "--output", str(tmp_path / "two"), "--random-weights"]) == 0

    assert not {line.split("\t")[0] for line in train} & set(asked)
    assert artifact.load(tmp_path / "two").manifest.provenance.hyperparameters["random_weights"]


def test_scores_of_models_that_have_not_seen_a_title_stand_for_the_teachers(
    tmp_path: Path, models: list[str], data: list[str], capsys: pytest.CaptureFixture[str]
):
    folds = tmp_path / "folds"
    assert main(["data", "folds", data[1], "--output", str(folds)]) == 0
    held_out, scores = str(folds / "fold-2" / "held_out.jsonl"), str(tmp_path / "scores.csv")
    assert main(["evaluate", models[1], held_out, "--predictions", scores]) == 0
    expected = len(Path(held_out).read_text(encoding="utf-8").splitlines())
    arguments = ["distill", "--teacher", models[0], *data, *SHORT, "--scores", scores]

    cache = ["--cache", str(tmp_path / "cache")]
    assert main([*arguments, *cache, "--output", str(tmp_path / "student")]) == 0

    assert f"scores of {expected:,} titles from files" in capsys.readouterr().err
    used = artifact.load(tmp_path / "student").manifest.provenance.hyperparameters
    assert used["scores"] == ["scores.csv"]


def test_the_control_without_a_teacher_asks_it_nothing(
    tmp_path: Path, models: list[str], data: list[str]
):
    arguments = ["distill", "--teacher", models[1], *data, "--cache", str(tmp_path / "none")]

    assert main([*arguments, *SHORT, "--alpha", "0", "--output", str(tmp_path / "control")]) == 0

    assert not (tmp_path / "none").exists()


def test_hidden_states_of_the_first_encoder_are_matched(
    tmp_path: Path, models: list[str], data: list[str], cache: list[str]
):
    arguments = ["distill", "--teacher", models[0], *data, *cache, *SHORT, "--hidden-weight", "1"]

    assert main([*arguments, "--output", str(tmp_path / "student")]) == 0


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--layers", "two"], "a number, or several as in 0,4,8,11; not"),
        (["--layers", "0,7"], "layers [0, 7] cannot be kept; the model has 0 to 2"),
        (["--vocabulary", "20"], "the vocabulary of this tokenizer (WordLevel, BertProcessing)"),
    ],
)
def test_what_cannot_be_distilled_is_wrong_usage(
    tmp_path: Path, models: list[str], data: list[str], cache: list[str],
    more: list[str], message: str, capsys: pytest.CaptureFixture[str],
):  # fmt: skip
    arguments = ["distill", "--teacher", models[0], *data, *cache, *SHORT]

    assert main([*arguments, *more, "--output", str(tmp_path / "student")]) == 2

    assert message in capsys.readouterr().err


def test_titles_of_a_class_that_the_teacher_does_not_know_are_refused(
    tmp_path: Path, models: list[str], data: list[str], capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "other.txt").write_text("sports\nmusic\neducation\n")
    arguments = ["distill", "--teacher", models[0], *data, "--labels", str(tmp_path / "other.txt")]

    assert main([*arguments, "--output", str(tmp_path / "student")]) == 3

    assert "label 1 is 'music', not one of the 3 labels" in capsys.readouterr().err


def test_a_teacher_without_a_transformer_asks_for_a_start(
    tmp_path: Path, data: list[str], capsys: pytest.CaptureFixture[str]
):
    linear = ["train", "linear", *data, "--output", str(tmp_path / "linear")]
    assert main(linear) == 0

    arguments = ["distill", "--teacher", str(tmp_path / "linear"), *data]
    assert main([*arguments, "--output", str(tmp_path / "student")]) == 2

    assert "(linear) has no Transformer for a student to start from" in capsys.readouterr().err


def test_a_student_of_a_pretrained_encoder_learns_from_labels_alone(
    tmp_path: Path, tiny_encoder: Path, data: list[str]
):
    arguments = ["distill", "--alpha", "0", "--start", str(tiny_encoder), *data, *SHORT]
    arguments += ["--max-length", "16", "--learning-rate", "1e-9", "--average-decay", "0"]

    assert main([*arguments, "--output", str(tmp_path / "student")]) == 0

    student = artifact.load(tmp_path / "student")
    pretrained = load_file(tiny_encoder / "model.safetensors")
    embedding = student.uncalibrated.network.encoder.embedding.tokens.weight
    assert student.labels.names == ("stocks", "sports", "education")
    torch.testing.assert_close(embedding, pretrained["embeddings.word_embeddings.weight"])
    made_from = {each.role: each.name for each in student.manifest.provenance.made_from}
    assert set(made_from) == {"train", "dev", "encoder"}
    assert made_from["encoder"] == "encoder/model.safetensors"
    assert student.manifest.provenance.hyperparameters["teacher"] is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--start", "x"], "pass --teacher, or --alpha 0 to learn from the labels alone"),
        (["--alpha", "0"], "without --teacher, say with --start what the student starts from"),
        (["--alpha", "0", "--start", "x"], "'x' is not a folder"),
    ],
)
def test_without_a_teacher_it_is_said_what_is_missing(
    tmp_path: Path, data: list[str], options: list[str], message: str,
    capsys: pytest.CaptureFixture[str],
):  # fmt: skip
    main(["distill", *options, *data, *SHORT, "--output", str(tmp_path / "student")])

    assert message in capsys.readouterr().err


def test_a_student_of_one_that_reads_a_titles_width_does_not(
    tmp_path: Path,
    make_student: Callable[..., StudentClassifier],
    data: list[str],
    cache: list[str],
):
    artifact.save(make_student(reads_width=True), tmp_path / "teacher")
    arguments = ["distill", "--teacher", str(tmp_path / "teacher"), *data, *cache, *SHORT]

    assert main([*arguments, "--output", str(tmp_path / "student")]) == 0

    assert artifact.load(tmp_path / "student").uncalibrated.network.width is None


def test_the_vocabulary_is_cut_to_what_the_titles_use(
    tmp_path: Path, tiny_student: StudentClassifier, three_topics: LabelledTitles, data: list[str],
    cache: list[str],
):  # fmt: skip
    greek = "αβγδεζηθικλμ"
    student = replace_tokenizer(tiny_student, unigram("▁" + "".join(three_topics.titles) + greek))
    artifact.save(student, tmp_path / "teacher")
    size = student.config.vocab_size - len(greek)
    arguments = ["distill", "--teacher", str(tmp_path / "teacher"), *data, *cache, *SHORT]

    assert main([*arguments, "--vocabulary", str(size), "--output", str(tmp_path / "small")]) == 0

    small = artifact.load(tmp_path / "small").uncalibrated
    assert small.network.encoder.embedding.tokens.weight.shape[0] == size
    assert small.tokenizer.tokenizer.get_vocab_size() == small.config.vocab_size == size
    pieces = [student.tokenizer.tokenizer.encode(t).tokens for t in three_topics.titles]
    assert [small.tokenizer.tokenizer.encode(t).tokens for t in three_topics.titles] == pieces


def unigram(characters: str) -> Tokenizer:
    """A unigram tokenizer of single characters, framed as XLM-R's."""
    names = ["<s>", "<pad>", "</s>", "<unk>", *dict.fromkeys(characters)]
    tokenizer = Tokenizer(unigrams.Unigram([(name, -1.0) for name in names], 3, False))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always", split=False)
    tokenizer.add_special_tokens(names[:4])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return tokenizer


def replace_tokenizer(student: StudentClassifier, tokenizer: Tokenizer) -> StudentClassifier:
    config = replace(student.config, vocab_size=tokenizer.get_vocab_size(), pad_id=1)
    network = config.build(len(student.labels))
    return StudentClassifier(network, config, TitleTokenizer(tokenizer, 1, 16), student.labels)
