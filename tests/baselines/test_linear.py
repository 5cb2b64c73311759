import numpy as np
import pytest
import skops.io
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from baselines.features import title_columns
from baselines.linear import LinearClassifier, LinearSettings, train_linear
from models.calibration import softmax
from models.errors import CorruptArtifact, UsageError

SETTINGS = LinearSettings(table_bits=12)


def test_probabilities_are_the_softmax_of_the_scaled_margins(examples, titles):
    scaled = train_linear(examples, SETTINGS)
    plain = train_linear(examples, LinearSettings(table_bits=12, margin_scale=1.0))

    margins = plain.pipeline.decision_function(title_columns(titles))

    expected = softmax(margins * SETTINGS.margin_scale)
    assert scaled.predict_proba(titles) == pytest.approx(expected, abs=1e-5)


def test_weights_are_saved_in_single_precision(examples):
    svm = train_linear(examples, SETTINGS).pipeline[-1]

    assert svm.coef_.shape[0] == 3
    assert svm.coef_.dtype == np.float32


def test_progress_names_the_stages(examples):
    lines: list[str] = []

    train_linear(examples, SETTINGS, lines.append)

    assert lines == ["counting n-grams of 48 titles", "fitting the linear model"]


def test_a_pipeline_of_other_steps_is_refused(labels, tmp_path):
    skops.io.dump(Pipeline([("scale", StandardScaler())]), tmp_path / "model.skops")

    with pytest.raises(CorruptArtifact, match="its steps are \\['StandardScaler'\\]"):
        LinearClassifier.load_files(tmp_path, labels, None)


def test_a_type_that_is_not_trusted_is_refused(labels, tmp_path):
    pipeline = Pipeline([("run", FunctionTransformer(title_columns))])
    skops.io.dump(pipeline, tmp_path / "model.skops")

    with pytest.raises(CorruptArtifact, match=r"baselines\.features\.title_columns"):
        LinearClassifier.load_files(tmp_path, labels, None)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"inverse_regularisation": 0.0}, "must be above 0"),
        ({"margin_scale": float("nan")}, "must be above 0"),
        ({"max_iterations": 0}, "max_iterations must be at least 1"),
        ({"table_bits": 3}, "table_bits must be in"),
    ],
)
def test_settings_that_cannot_be_used_are_refused(change, message):
    with pytest.raises(UsageError, match=message):
        LinearSettings(**change)
