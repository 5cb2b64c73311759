import json
from pathlib import Path

import pytest

from models.errors import UsageError
from titles import Source, write_recombined
from titles.recombination import recombined

TITLES = [
    "国足客场一球小胜 小组赛取得开门红",
    "央行降准：楼市资金面能松几分",
    "城郊村民排队买商品房",
]
CLAUSES = {"国足客场一球小胜", "小组赛取得开门红", "央行降准：", "楼市资金面能松几分"}


def is_part(part: str, title: str) -> bool:
    return part in title and len(part) < len(title)


def test_every_title_gives_as_many_new_ones_in_its_place():
    made = recombined(TITLES, 4, seed=1)

    assert len(made) == 12
    for number, new in enumerate(made):
        origin = TITLES[number // 4]
        assert any(is_part(part, origin) for part in new.split(" ")), new


def test_a_title_of_two_clauses_gives_one_of_them():
    made = recombined(TITLES[:2], 20, seed=1)

    assert {new for new in made if " " not in new} == CLAUSES


def test_every_second_title_has_a_part_of_any_other_too():
    made = recombined(TITLES, 20, seed=1)

    assert all(" " not in new for new in made[0::2])
    assert all(len(new.split(" ")) == 2 for new in made[1::2])
    partners = {part for new in made[1:20:2] for part in new.split(" ")}
    assert partners & {"央行降准：", "楼市资金面能松几分"}


def test_either_part_may_come_first():
    made = recombined(TITLES[:1] + TITLES[2:], 40, seed=1)[1:40:2]

    own = {"国足客场一球小胜", "小组赛取得开门红"}
    foreign = [new.split(" ") for new in made if len(own & set(new.split(" "))) == 1]
    assert {parts[0] in own for parts in foreign} == {True, False}


def test_a_title_without_clauses_loses_a_tenth_to_a_half():
    (title,) = TITLES[2:]
    lengths = [len(recombined([title], 1, seed)[0]) for seed in range(40)]

    assert min(lengths) == 5
    assert max(lengths) == 9


def test_short_titles_stay_whole():
    assert recombined(["股市"], 1, seed=1) == ["股市"]


def test_the_seed_alone_decides():
    assert recombined(TITLES, 3, seed=5) == recombined(TITLES, 3, seed=5)
    assert recombined(TITLES, 3, seed=5) != recombined(TITLES, 3, seed=6)


def test_none_of_each_is_refused():
    with pytest.raises(UsageError, match="1 or more, not 0"):
        recombined(TITLES, 0, seed=1)


def test_each_new_title_is_written_once_and_none_that_there_is(tmp_path: Path):
    source, output = tmp_path / "titles.txt", tmp_path / "recombined.jsonl"
    source.write_text("\n".join([*TITLES, "股市"]) + "\n", encoding="utf-8")

    count = write_recombined(Source(source), 6, output)

    written = [json.loads(line)["title"] for line in output.read_text("utf-8").splitlines()]
    expected = set(recombined([*TITLES, "股市"], 6, seed=13)) - {"股市"}
    assert written == sorted(expected)
    assert count == len(expected)
