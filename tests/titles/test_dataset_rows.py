"""Folders saved by `datasets`, folders of data files, and names of the hub."""

from pathlib import Path

import datasets
import pytest

from models.errors import DataError, UsageError
from models.labels import Labels
from titles import LabelledTitles, Source, read, read_titles

LABELS = Labels.of(["体育", "财经"])
FEATURES = datasets.Features(
    {
        "text": datasets.Value("string"),
        "label": datasets.ClassLabel(names=["财经", "体育"]),
    }
)
ROWS = [("股市大涨", 1), ("球队夺冠", 0)]
"""By the order of LABELS, which is not that of the feature: ids go through their names."""


def rows_of(found: LabelledTitles) -> list[tuple[str, int]]:
    return list(zip(found.titles, found.label_ids.tolist(), strict=True))


@pytest.fixture
def dataset() -> datasets.Dataset:
    columns = {"text": ["股市大涨", "球队夺冠"], "label": [0, 1]}
    return datasets.Dataset.from_dict(columns, features=FEATURES)


def test_class_label_ids_are_read_by_their_names(tmp_path: Path, dataset: datasets.Dataset):
    dataset.to_parquet(tmp_path / "a.parquet")
    dataset.save_to_disk(tmp_path / "saved")

    for path in (tmp_path / "a.parquet", tmp_path / "saved"):
        assert read(Source(path)).labels.names == ("财经", "体育")
        assert rows_of(read(Source(path), LABELS)) == ROWS


def test_minus_one_is_no_label(tmp_path: Path):
    columns = {"text": ["甲"], "label": [-1]}
    datasets.Dataset.from_dict(columns, features=FEATURES).save_to_disk(tmp_path / "saved")

    with pytest.raises(DataError, match="saved:1: the label is missing; fix the row"):
        read(Source(tmp_path / "saved"), LABELS)


def test_one_of_several_splits_has_to_be_named(tmp_path: Path, dataset: datasets.Dataset):
    splits = datasets.DatasetDict({"train": dataset, "validation": dataset.select([1])})
    splits.save_to_disk(tmp_path / "saved")

    found = read(Source(tmp_path / "saved", split="validation"), LABELS)

    assert rows_of(found) == [("球队夺冠", 0)]
    with pytest.raises(
        UsageError, match="no split is named; pass one of --split train, validation"
    ):
        read(Source(tmp_path / "saved"), LABELS)


def test_folder_of_shards_is_streamed(tmp_path: Path, dataset: datasets.Dataset):
    for i in range(2):
        dataset.select([i]).to_parquet(tmp_path / "data" / f"train-0000{i}-of-00002.parquet")

    assert rows_of(read(Source(tmp_path), LABELS)) == ROWS


def test_hub_dataset_is_streamed_by_name(
    monkeypatch: pytest.MonkeyPatch, dataset: datasets.Dataset
):
    asked = []

    def load_dataset(name: str, streaming: bool) -> datasets.IterableDatasetDict:
        asked.append((name, streaming))
        return datasets.IterableDatasetDict({"test": dataset.to_iterable_dataset()})

    monkeypatch.setattr(datasets, "load_dataset", load_dataset)

    assert rows_of(read(Source("org/name"), LABELS)) == ROWS
    assert asked == [("org/name", True)]


def test_hub_that_has_no_such_dataset_is_an_error_of_ours(monkeypatch: pytest.MonkeyPatch):
    def load_dataset(name: str, streaming: bool) -> None:
        raise ConnectionError("offline")

    monkeypatch.setattr(datasets, "load_dataset", load_dataset)

    with pytest.raises(DataError) as caught:
        next(read_titles(Source("org/name")))

    assert str(caught.value) == (
        "org/name: neither a file, nor a folder of titles, nor a dataset that the hub gives: "
        "offline; check the path or the name"
    )
