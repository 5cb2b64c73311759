"""Crossfit: every title is scored once, by models that have not seen it; a run goes on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from models import artifact
from models.encoder import EncoderClassifier
from models.errors import UsageError
from recipes.crossfit import Crossfit, crossfit
from recipes.distill import Distill, Start, distill
from recipes.teaching import Teaching
from scoring.given_scores import read_predictions
from titles import Source, read, read_titles
from training.compression.distillation import DistillSettings


@pytest.fixture
def settings(tmp_path: Path, titles: Path) -> Crossfit:
    return Crossfit(
        train=str(titles),
        dev=str(titles),
        output=tmp_path / "crossfit",
        folds=2,
        routes=("linear",),
        each=1,
        cache=tmp_path / "cache",
    )


def test_every_title_is_scored_once_by_a_teacher_that_has_not_learned_it(
    settings: Crossfit, titles: Path
):
    written = crossfit(settings)

    data = read(Source(titles))
    names = ["scores-1.csv", "scores-recombined-1.csv", "scores-2.csv", "scores-recombined-2.csv"]
    assert [path.name for path in written] == names
    scored: list[str] = []
    for number in (1, 2):
        fold = settings.output / "folds" / f"fold-{number}"
        given = read_predictions(settings.output / f"scores-{number}.csv", data.labels)
        learned = set(read_titles(Source(fold / "train.jsonl")))
        teacher = artifact.load(fold / "models" / "teacher")
        assert not learned & set(given.titles)
        assert teacher.predict_proba(given.titles) == pytest.approx(given.scores, abs=1e-6)
        scored += given.titles
    assert sorted(scored) == sorted(data.titles)


def test_recombined_titles_are_new_and_gathered(settings: Crossfit, titles: Path):
    crossfit(settings)

    gathered = list(read_titles(Source(settings.output / "recombined.jsonl")))
    assert len(gathered) > 20
    assert not set(gathered) & set(read_titles(Source(titles)))


def test_a_run_goes_on_with_what_is_not_there_yet(
    settings: Crossfit, monkeypatch: pytest.MonkeyPatch
):
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("recipes.crossfit.ensemble", interrupt)
        with pytest.raises(KeyboardInterrupt):
            crossfit(settings)
    first = settings.output / "folds" / "fold-1" / "models" / "linear" / artifact.MANIFEST
    before = first.stat().st_mtime_ns

    assert len(crossfit(settings)) == 4
    assert first.stat().st_mtime_ns == before


def test_a_folder_of_another_run_is_refused(settings: Crossfit):
    crossfit(settings)

    with pytest.raises(UsageError, match="is of a run with another each, seed; pass the same"):
        crossfit(replace(settings, each=2, seed=14))


def test_a_student_learns_from_it(
    settings: Crossfit, titles: Path, tmp_path: Path, tiny_classifier: EncoderClassifier
):
    crossfit(settings)
    artifact.save(tiny_classifier, tmp_path / "teacher")

    manifest = distill(
        Distill(
            teacher=tmp_path / "teacher",
            train=str(titles),
            dev=str(titles),
            output=tmp_path / "student",
            shape=Start(layers=1),
            teaching=Teaching(
                scores=(settings.output,),
                unlabelled=(str(settings.output / "recombined.jsonl"),),
                cache=tmp_path / "cache",
            ),
            training=DistillSettings(epochs=1),
        )
    )

    kinds = [made.kind for made in manifest.provenance.made_from]
    assert kinds.count("scores") == 4
    assert manifest.provenance.hyperparameters["scores"][0] == "scores-1.csv"
    assert not list((tmp_path / "cache").glob(f"*{manifest.version}*"))
