"""Class maps: what a file of them means, and where it is wrong."""

from pathlib import Path

import pytest

from models.errors import DataError
from models.labels import Labels
from titles import Source
from titles.class_map import ClassMap

CLASSES = Labels.of(["finance", "stocks", "realty"])
MAP = """# newsroom, label, classes
toutiao\tnews_finance\tfinance|stocks
toutiao\tnews_house\trealty

toutiao\tnews_travel\toutside
toutiao\tnews_story\t-
*\t房产\trealty
"""


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "classes.tsv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_label_means_one_class_several_none_or_nothing(tmp_path: Path):
    class_map = ClassMap.read(write(tmp_path, MAP))

    meanings = class_map.of(Source("train.txt", newsroom="toutiao"), CLASSES)

    found = {each.label: (each.may_be, each.says_nothing, each.line) for each in meanings.meanings}
    assert found == {
        "news_finance": ((0, 1), False, 2),
        "news_house": ((2,), False, 3),
        "news_travel": ((), False, 5),
        "news_story": ((), True, 6),
    }
    assert meanings.labels.names == tuple(found)
    assert meanings.says_nothing.tolist() == [False, False, False, True]
    assert class_map.newsrooms == ("toutiao", "*")
    assert class_map.classes.names == ("finance", "stocks", "realty")


@pytest.mark.parametrize("newsroom", ["sina", None])
def test_a_star_speaks_of_all_other_newsrooms(tmp_path: Path, newsroom: str | None):
    class_map = ClassMap.read(write(tmp_path, MAP))

    meanings = class_map.of(Source("train.txt", newsroom=newsroom), CLASSES)

    assert class_map.speaks_of(Source("train.txt", newsroom=newsroom))
    assert meanings.labels.names == ("房产",)


def test_without_a_star_it_speaks_of_the_newsrooms_that_it_names(tmp_path: Path):
    class_map = ClassMap.read(write(tmp_path, "toutiao\tnews_house\trealty\n"))

    assert class_map.speaks_of(Source("x", newsroom="toutiao"))
    assert not class_map.speaks_of(Source("x", newsroom="sina"))
    assert not class_map.speaks_of(Source("x"))


@pytest.mark.parametrize(
    "text",
    [
        b"\xef\xbb\xbfa\t\xe6\x88\xbf\trealty\r\n",
        "a\t房\trealty\n".encode("utf-16"),
        "a\t房\trealty\ra\t房\trealty".encode(),
        " a \t 房 \t realty \n".encode(),
    ],
)
def test_it_is_read_as_editors_write_it(tmp_path: Path, text: bytes):
    meanings = ClassMap.read(write(tmp_path, text)).of(Source("x", newsroom="a"), CLASSES)

    assert [(each.label, each.may_be) for each in meanings.meanings] == [("房", (2,))]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\tb\n", "classes.tsv:1: 2 columns, not 3; write newsroom<TAB>label<TAB>classes"),
        ("# x\na\tb\tc\td\n", "classes.tsv:2: 4 columns, not 3"),
        ("a\t\trealty\n", "classes.tsv:1: a column is empty"),
        ("a\tb\trealty|\n", "classes.tsv:1: 'realty|' is no list of classes"),
        ("a\tb\trealty|outside\n", "classes.tsv:1: 'realty|outside' is no list of classes"),
        ("a\tb\t-|realty\n", "classes.tsv:1: '-|realty' is no list of classes"),
        ("a\tb\trealty\na\tb\tstocks\n", "classes.tsv:2: a b means stocks here, but realty in "
         "line 1; delete one of them"),
        ("# nothing\n", "classes.tsv: no line says what a label means"),
        ("", "classes.tsv: no line says what a label means"),
    ],
)  # fmt: skip
def test_a_wrong_line_is_named_with_the_remedy(tmp_path: Path, text: str, message: str):
    with pytest.raises(DataError) as caught:
        ClassMap.read(write(tmp_path, text))

    assert message in str(caught.value)


def test_a_class_that_the_model_does_not_have_is_named_with_its_line(tmp_path: Path):
    class_map = ClassMap.read(write(tmp_path, "# x\na\tb\trealty|sport\n"))

    with pytest.raises(DataError, match=r"classes\.tsv:2: 'sport' is not one of the classes \(fin"):
        class_map.of(Source("x", newsroom="a"), CLASSES)


def test_a_map_without_classes_has_none_to_learn(tmp_path: Path):
    class_map = ClassMap.read(write(tmp_path, "a\tb\toutside\n"))

    with pytest.raises(DataError, match="no line names a class"):
        _ = class_map.classes


def test_a_map_that_cannot_be_read_is_named(tmp_path: Path):
    with pytest.raises(DataError, match=r"no\.tsv: cannot read the class map"):
        ClassMap.read(tmp_path / "no.tsv")
