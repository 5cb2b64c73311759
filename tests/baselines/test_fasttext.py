import json

import fasttext
import numpy as np
import pytest

from baselines.fasttext import FastTextClassifier, suitable_epochs, train_fasttext
from baselines.fasttext_format import UNITS, label_id, to_line, write_lines
from baselines.fasttext_settings import FastTextSettings
from models import artifact
from models.errors import CorruptArtifact, UsageError
from titles import LabelledTitles

SMALL = {"buckets": 2000, "epochs": 20}
HASHED = {"unit": "words", "token_ngrams": 2, "longest_subword": 3, **SMALL}


@pytest.fixture(scope="module")
def model(examples) -> FastTextClassifier:
    return train_fasttext(examples, settings=FastTextSettings(**HASHED))


def test_label_names_are_numbers_behind_a_prefix():
    assert label_id("__label__0") == 0
    assert label_id("__label__13") == 13


@pytest.mark.parametrize("name", ["7", "__label__", "__label__sports", "__label__-1", "label_1"])
def test_other_label_names_are_refused(name):
    with pytest.raises(ValueError, match="is not __label__ and a number"):
        label_id(name)


@pytest.mark.parametrize("unit", sorted(UNITS))
def test_no_title_can_bring_a_label_or_a_second_line(tmp_path, odd_titles, labels, unit):
    write_lines(
        tmp_path / "rows.txt", LabelledTitles.of(odd_titles, [0] * len(odd_titles), labels), unit
    )

    lines = (tmp_path / "rows.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n")

    assert len(lines) == len(odd_titles)
    assert all(line.count("__label__") == 1 and "</s>" not in line for line in lines)


def test_units_cut_a_title_differently():
    assert to_line("北京大学公布成绩", "characters") == "北 京 大 学 公 布 成 绩"
    assert to_line("北京大学公布成绩", "words") == "北京大学 公布 成绩"
    assert to_line("公布", "ngrams") == "^ 公 布 $ ^公 公布 布$ ^公布 公布$ w:公布"


def test_scores_are_fasttexts_own_divided_by_their_sum(model):
    title = "股市今日上涨"
    names, values = model.model.predict(to_line(title, "words"), k=3)

    scores = np.zeros(3)
    scores[[label_id(name) for name in names]] = values

    assert model.predict_proba([title])[0] == pytest.approx(scores / scores.sum(), abs=1e-6)


def test_fasttexts_own_tools_open_the_saved_file(model, tmp_path):
    artifact.save(model, tmp_path / "model")

    opened = fasttext.load_model(str(tmp_path / "model" / "model.bin"))

    names, _ = opened.predict(to_line("球队夺冠", "words"))
    assert names == ("__label__1",)
    assert json.loads((tmp_path / "model" / "preprocessing.json").read_text()) == {"unit": "words"}


def test_characters_can_be_the_unit(examples, titles, label_ids, tmp_path):
    settings = FastTextSettings(unit="characters", token_ngrams=3, **SMALL)
    model = train_fasttext(examples, settings=settings)
    artifact.save(model, tmp_path / "model")

    loaded = artifact.load(tmp_path / "model")

    assert loaded.uncalibrated.unit == "characters"
    assert (loaded.predict_proba(titles).argmax(axis=1) == label_ids).all()


@pytest.mark.parametrize("retrain_epochs", [0, 2])
def test_a_quantised_model_is_smaller_and_loads(
    model, examples, titles, label_ids, tmp_path, retrain_epochs
):
    settings = FastTextSettings(
        quantize=True, quantized_features=300, retrain_epochs=retrain_epochs, **HASHED
    )
    small = train_fasttext(examples, settings=settings)
    artifact.save(small, tmp_path / "small")
    artifact.save(model, tmp_path / "large")

    loaded = artifact.load(tmp_path / "small")

    assert (loaded.predict_proba(titles) == small.predict_proba(titles)).all()
    assert (loaded.predict_proba(titles).argmax(axis=1) == label_ids).all()
    size = (tmp_path / "small" / "model.ftz").stat().st_size
    assert size < (tmp_path / "large" / "model.bin").stat().st_size / 4


def test_a_quantised_model_is_retrained_at_a_quarter_of_the_rate(examples):
    settings = FastTextSettings(
        quantize=True, quantized_features=300, retrain_epochs=2, learning_rate=0.8, **HASHED
    )

    found = train_fasttext(examples, settings=settings).hyperparameters()

    assert (found["epoch"], found["lr"]) == (2, pytest.approx(0.2))


def test_a_model_too_small_to_quantise_is_refused(examples):
    settings = FastTextSettings(quantize=True, unit="words")

    with pytest.raises(UsageError, match="do not quantise a small model"):
        train_fasttext(examples, settings=settings)


def test_hyperparameters_are_those_of_the_model(model):
    found = model.hyperparameters()

    assert (found["dim"], found["epoch"], found["wordNgrams"]) == (16, 20, 2)
    assert (found["minn"], found["maxn"], found["bucket"], found["loss"]) == (1, 3, 2000, "ova")
    assert found["lr"] == pytest.approx(0.4)


def test_autotune_needs_dev_titles(examples):
    settings = FastTextSettings(autotune_seconds=1)

    with pytest.raises(UsageError, match="autotune needs dev titles"):
        train_fasttext(examples, settings=settings)


@pytest.mark.slow
def test_autotune_finds_settings_without_writing_to_standard_output(
    examples, titles, label_ids, capfd
):
    settings = FastTextSettings(autotune_seconds=2)

    model = train_fasttext(examples, examples.take(range(0, len(examples), 2)), settings)

    assert (model.predict_proba(titles).argmax(axis=1) == label_ids).mean() > 0.9
    assert capfd.readouterr().out == ""


def test_diverging_training_is_told_with_a_remedy(examples):
    settings = FastTextSettings(learning_rate=1e30, **SMALL)

    with pytest.raises(UsageError, match="lower the learning rate"):
        train_fasttext(examples, settings=settings)


def test_progress_names_the_stages(examples):
    lines: list[str] = []
    settings = FastTextSettings(quantize=True, quantized_features=300, **HASHED)

    train_fasttext(examples, settings=settings, progress=lines.append)

    assert lines == [
        "cutting 48 titles into words",
        "training fastText",
        "quantising",
    ]


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"unit": "syllables"}', '{"unit": []}'])
def test_a_bad_preprocessing_file_is_refused(model, labels, tmp_path, content):
    model.save_files(tmp_path)
    (tmp_path / "preprocessing.json").write_text(content)

    with pytest.raises(CorruptArtifact, match=r"preprocessing\.json cannot be read"):
        FastTextClassifier.load_files(tmp_path, labels, None)


@pytest.mark.parametrize(
    ("titles", "epochs"), [(10, 100), (1000, 100), (20_000, 25), (99_999, 6), (180_000, 5)]
)
def test_a_small_file_is_read_more_often(titles: int, epochs: int):
    assert suitable_epochs(titles) == epochs


def test_settings_offer_the_units_there_are():
    assert [FastTextSettings(unit=unit).unit for unit in UNITS] == list(UNITS)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"unit": "syllables"}, "unit must be one of words, characters, ngrams, not 'syllables'"),
        ({"loss": "ns"}, "loss must be one of ova, softmax, hs, not 'ns'"),
        ({"epochs": -1}, "epochs must be at least 0, not -1"),
        ({"learning_rate": 0.0}, "learning_rate must be above 0, not 0"),
        ({"longest_subword": -1}, "longest_subword must be at least 0, not -1"),
        ({"quantized_features": 255}, "quantized_features must be at least 256"),
    ],
)
def test_settings_that_cannot_be_used_are_refused(change, message):
    with pytest.raises(UsageError, match=message):
        FastTextSettings(**change)
