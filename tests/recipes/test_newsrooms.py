"""Several newsrooms as one training set, from the command line to the manifest."""

import json
from pathlib import Path

import pytest

from cli import main
from models import artifact
from models.errors import DataError, UsageError
from recipes.crossfit import Crossfit, crossfit
from recipes.data import DataCheck, data_check
from recipes.lessons import read_learning
from recipes.settings import Learning, Reading, newsroom_of, path_of
from titles import LabelledTitles

MAP = "other\tball\tsports\nother\tmoney\tstocks|education\nother\tcars\toutside\nother\tx\t-\n"


@pytest.fixture
def newsrooms(tmp_path: Path, titles: Path, three_topics: LabelledTitles) -> dict[str, str]:
    """The options that name a newsroom of the classes, another of labels of its own, and a map."""
    (tmp_path / "other").mkdir()
    labels = ["money", "ball", "cars", "x"]
    for split in ("train", "dev"):
        with (tmp_path / "other" / f"{split}.jsonl").open("w", encoding="utf-8") as file:
            for i, title in enumerate(three_topics.titles):
                row = {"title": f"{title}{split}", "label": labels[i % 4]}
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
    (tmp_path / "classes.tsv").write_text(MAP)
    return {
        "home": str(titles),
        "train": str(tmp_path / "other" / "train.jsonl"),
        "dev": str(tmp_path / "other" / "dev.jsonl"),
        "map": str(tmp_path / "classes.tsv"),
    }


def options(newsrooms: dict[str, str], output: Path) -> list[str]:
    return [
        "--train", newsrooms["home"], "--train", newsrooms["train"], "--dev", newsrooms["home"],
        "--dev", f"other={newsrooms['dev']}", "--class-map", newsrooms["map"],
        "--output", str(output),
    ]  # fmt: skip


def test_an_encoder_learns_both_and_its_manifest_names_all_files(
    newsrooms: dict[str, str], tiny_encoder: Path, tmp_path: Path
):
    output = tmp_path / "encoder"
    how = ["--encoder", str(tiny_encoder), "--epochs", "2", "--learning-rate", "2e-3"]
    balance = ["--newsroom-balance", "0.5", "--label-balance", "0.5"]

    assert main(["train", "encoder", *options(newsrooms, output), *how, *balance]) == 0

    manifest = artifact.load(output).manifest
    assert manifest.labels == ("stocks", "sports", "education")
    made_from = [(made.role, made.name) for made in manifest.provenance.made_from]
    assert made_from[:5] == [
        ("train", "titles.txt"), ("train", "train.jsonl"), ("dev", "titles.txt"),
        ("dev", "dev.jsonl"), ("class-map", f"{tmp_path.name}/classes.tsv"),
    ]  # fmt: skip
    metrics = manifest.provenance.metrics
    recalls = metrics["dev_macro_recall_titles"], metrics["dev_macro_recall_other"]
    assert metrics["dev_macro_recall"] == pytest.approx(sum(recalls) / 2)
    assert metrics["dev_macro_recall_titles"] > 0.4
    assert manifest.provenance.trained_on["name"] == "titles, other"
    assert manifest.provenance.trained_on["rows"] == 36 + 27  # a label of four says nothing


def test_a_baseline_learns_one_of_the_classes_that_a_title_may_be_of(
    newsrooms: dict[str, str], tmp_path: Path
):
    assert main(["train", "linear", *options(newsrooms, tmp_path / "linear")]) == 0

    assert artifact.load(tmp_path / "linear").manifest.provenance.metrics["dev_accuracy"] > 0.5


def test_a_student_learns_from_both_and_from_its_teacher(
    newsrooms: dict[str, str], tiny_encoder: Path, tmp_path: Path
):
    data = ["--train", newsrooms["home"], "--dev", newsrooms["home"]]
    how = ["--encoder", str(tiny_encoder), "--epochs", "1"]
    assert main(["train", "encoder", *data, *how, "--output", str(tmp_path / "teacher")]) == 0

    arguments = ["--teacher", str(tmp_path / "teacher"), "--layers", "1", "--epochs", "1"]
    student = tmp_path / "student"
    assert main(["distill", *options(newsrooms, student), *arguments]) == 0

    provenance = artifact.load(student).manifest.provenance
    assert provenance.trained_on["name"] == "titles, other"
    assert "dev_macro_recall_other" in provenance.metrics


def test_one_file_without_a_map_is_of_no_newsroom(newsrooms: dict[str, str], tmp_path: Path):
    home = newsrooms["home"]

    lesson = read_learning(Learning(train=home, dev=(home,), output=tmp_path / "m"))

    assert lesson.train.newsroom_labels is None
    assert lesson.train.fingerprint.name == "titles.txt"


def test_check_reads_the_files_of_all_newsrooms_by_the_map(newsrooms: dict[str, str]):
    files = (newsrooms["home"], newsrooms["train"], newsrooms["dev"])

    report = data_check(DataCheck(files=files, reading=Reading(class_map=Path(newsrooms["map"]))))

    assert not report.errors
    assert list(report.splits) == ["titles", "train", "dev"]
    train = report.splits["train"]
    assert train.classes == {"ball": 9, "money": 9, "cars": 9, "x": 9}
    assert train.left_out == ("x",)
    assert train.learned == {"ball": 9, "money": 9, "cars": 9}
    (tiny,) = (remark for remark in report.remarks if "train.jsonl" in remark.message)
    assert "titles of 3 classes (ball 9, money 9, cars 9)" in tiny.message


def test_a_label_that_the_map_lacks_is_said_before_training_and_in_the_manifest(
    newsrooms: dict[str, str], tmp_path: Path
):
    Path(newsrooms["map"]).write_text(MAP.replace("other\tcars\toutside\n", ""))

    assert main(["train", "linear", *options(newsrooms, tmp_path / "linear")]) == 0

    remarks = artifact.load(tmp_path / "linear").manifest.provenance.remarks
    told = [remark.message for remark in remarks if remark.code == "unmapped-label"]
    assert told[0].startswith(
        "9 of 36 rows of train.jsonl, first train.jsonl:3: label 'cars' of other has no line in "
        "classes.tsv; the title is left out"
    )


def test_files_of_one_name_are_numbered(newsrooms: dict[str, str], tmp_path: Path):
    (tmp_path / "train.jsonl").write_text('{"title": "球队夺冠", "label": "ball"}\n')

    files = (newsrooms["train"], f"other={tmp_path / 'train.jsonl'}")
    report = data_check(DataCheck(files=files, reading=Reading(class_map=Path(newsrooms["map"]))))

    assert list(report.splits) == ["train", "train 2"]


@pytest.mark.parametrize(
    ("path", "newsroom"),
    [
        ("data/toutiao/train.jsonl", "toutiao"),
        ("data/toutiao/Test.csv", "toutiao"),
        ("data/toutiao.csv", "toutiao"),
        ("weibo_hot.jsonl", "weibo_hot"),
    ],
)
def test_a_newsroom_is_called_after_its_folder_or_its_file(path: str, newsroom: str):
    assert newsroom_of(path) == newsroom


def test_a_newsroom_may_be_named_and_a_file_with_an_equals_sign_is_a_file(tmp_path: Path):
    odd = tmp_path / "a=b.txt"
    odd.touch()
    reading = Reading()

    assert reading.source("sina=x/train.txt").newsroom == "sina"
    assert reading.source("sina=x/train.txt").path == "x/train.txt"
    assert reading.source(str(odd)).path == str(odd)
    assert reading.source(str(odd)).newsroom is None
    assert path_of("sina=x/train.txt") == Path("x/train.txt")


def test_folds_of_several_newsrooms_are_refused(newsrooms: dict[str, str], tmp_path: Path):
    home = newsrooms["home"]

    with pytest.raises(UsageError, match="crossfit each newsroom on its own"):
        crossfit(Crossfit(train=(home, newsrooms["train"]), dev=home, output=tmp_path / "c"))


def test_a_class_map_that_is_none_is_refused_before_anything_is_read(
    newsrooms: dict[str, str], tmp_path: Path
):
    reading = Reading(class_map=tmp_path / "none.tsv")

    with pytest.raises(DataError, match=r"none\.tsv: cannot read the class map"):
        read_learning(Learning(train="nowhere", dev="nowhere", output=tmp_path, reading=reading))


def test_a_class_map_that_is_read_is_not_lost_to_the_output(
    newsrooms: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    folder = tmp_path / "maps"
    folder.mkdir()
    newsrooms["map"] = str(Path(newsrooms["map"]).rename(folder / "classes.tsv"))

    assert main(["train", "linear", *options(newsrooms, folder), "--force"]) == 2

    assert (folder / "classes.tsv").read_text() == MAP
    assert "classes.tsv" in capsys.readouterr().err
