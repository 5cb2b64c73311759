from pathlib import Path

import pytest

from models.errors import DataError
from models.labels import Labels


def test_reads_class_txt_in_order_with_chinese_display_names(tmp_path: Path):
    path = tmp_path / "class.txt"
    path.write_text("finance\nsports\nweather\n", encoding="utf-8")

    labels = Labels.read(path)

    assert labels.names == ("finance", "sports", "weather")
    assert labels.display_names == ("财经", "体育", "weather")
    assert labels.ids == {"finance": 0, "sports": 1, "weather": 2}
    assert len(labels) == 3


def test_the_ten_classes_have_the_products_display_names():
    labels = Labels.read(Path(__file__).parents[2] / "samples" / "class.txt")

    assert " ".join(labels.display_names) == "财经 房产 股票 教育 科技 社会 时政 体育 游戏 娱乐"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a model needs at least one class, and no class name may be empty"),
        ("a\n\nb\n", "a model needs at least one class, and no class name may be empty"),
        ("a\nb\na\n", "class names occur twice: a"),
    ],
)
def test_refuses_empty_and_repeated_names(tmp_path: Path, text: str, message: str):
    path = tmp_path / "class.txt"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(DataError) as caught:
        Labels.read(path)

    assert str(caught.value) == f"{path}: {message}; write one class name a line"


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "gbk", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_reads_what_excel_and_windows_write(tmp_path: Path, codec: str, end: str):
    path = tmp_path / "class.txt"
    path.write_bytes(f"财经{end}体育新闻{end}".encode(codec))

    assert Labels.read(path).names == ("财经", "体育新闻")


def test_refuses_a_file_of_no_known_encoding(tmp_path: Path):
    path = tmp_path / "class.txt"
    path.write_bytes(b"\xff\xff\xff\n")

    with pytest.raises(DataError, match="cannot read the class names"):
        Labels.read(path)


def test_refuses_display_names_of_another_count():
    with pytest.raises(DataError, match="2 classes but 1 display names"):
        Labels(("a", "b"), ("甲",))
