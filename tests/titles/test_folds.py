"""Folds: every title is held out once, and no copy of it is then trained on."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.errors import DataError, UsageError
from models.outputs import claim_folder
from titles import LabelledTitles, Source, normalise, read, write_folds
from titles.folds import FOLDS, fold_of


@pytest.fixture
def news(tmp_path: Path) -> LabelledTitles:
    rows = [f"第{i}条新闻\t{i % 2}\n" for i in range(60)]
    copies = ["基金回暖\t0\n", "基金 回暖！\t0\n", "基金回暖\t1\n"]
    (tmp_path / "train.txt").write_text("".join(rows + copies), encoding="utf-8")
    (tmp_path / "class.txt").write_text("财经\n体育\n", encoding="utf-8")
    return read(Source(tmp_path / "train.txt"))


def titles(path: Path) -> list[str]:
    return [json.loads(line)["title"] for line in path.read_text(encoding="utf-8").splitlines()]


def test_each_title_is_held_out_once_and_trained_on_in_the_other_folds(
    tmp_path: Path, news: LabelledTitles
):
    folders = write_folds(news, 3, tmp_path / "folds")

    everything = sorted(news.titles)
    held_out = [titles(folder / "held_out.jsonl") for folder in folders]
    assert [folder.name for folder in folders] == ["fold-1", "fold-2", "fold-3"]
    assert sorted(title for part in held_out for title in part) == everything
    for folder, asked in zip(folders, held_out, strict=True):
        learned = titles(folder / "train.jsonl")
        assert sorted(learned + asked) == everything
        assert not {normalise(t) for t in learned} & {normalise(t) for t in asked}


def test_the_folds_read_as_the_original_does(tmp_path: Path, news: LabelledTitles):
    folder = write_folds(news, 2, tmp_path / "folds")[0]

    part = read(Source(folder / "held_out.jsonl"))
    label_of = dict(zip(news.titles, news.label_ids, strict=True)) | {"基金回暖": None}
    assert part.labels.names == ("财经", "体育")
    for title, label_id in zip(part.titles, part.label_ids, strict=True):
        assert label_of[title] in (label_id, None)


@given(st.text(), st.integers(2, 9))
def test_a_fold_is_told_by_the_title_alone(title: str, folds: int):
    assert 0 <= fold_of(title, folds) < folds
    assert fold_of(f"“{title}” ", folds) == fold_of(title, folds) or not normalise(title)


def test_what_cannot_be_cut_is_refused_and_nothing_written(tmp_path: Path, news: LabelledTitles):
    with pytest.raises(UsageError, match="1 folds leave nothing to train on; pass 2 or more"):
        write_folds(news, 1, tmp_path / "folds")
    with pytest.raises(DataError, match="63 titles are too few for 1000 folds"):
        write_folds(news, 1000, tmp_path / "folds")
    assert not (tmp_path / "folds").exists()


def test_folds_are_replaced_by_folds_but_not_what_was_trained_in_them(
    tmp_path: Path, news: LabelledTitles
):
    output = tmp_path / "folds"
    write_folds(news, 3, output)

    claim_folder(output, [tmp_path / "train.txt"], FOLDS)
    (output / "fold-1" / "model").mkdir()
    (output / "fold-1" / "model" / "artifact.json").touch()
    with pytest.raises(UsageError, match=r"it also holds fold-1/model/artifact\.json"):
        claim_folder(output, [], FOLDS)
    with pytest.raises(UsageError, match=r"holds .*train\.txt, which is read"):
        claim_folder(tmp_path, [tmp_path / "train.txt"], FOLDS, force=True)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "train.txt").touch()
    with pytest.raises(UsageError, match=r"it has no fold-1/held_out\.jsonl"):
        claim_folder(tmp_path / "mine", [], FOLDS)
