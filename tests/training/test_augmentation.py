"""Rows of tokens, some of them of the title in another form."""

import torch

from training.augmentation import TitleRows

TITLES = ["国足客场一球小胜 小组赛取得开门红", "股市午后拉升 券商板块涨逾3%"] * 50


def tokens(titles: list[str]) -> list[list[int]]:
    return [[ord(character) for character in title] for title in titles]


def test_without_a_share_every_title_is_read_as_it_is():
    rows = TitleRows(TITLES, tokens, 0.0, seed=1)

    assert rows([3, 0]) == tokens([TITLES[3], TITLES[0]])
    assert rows.lengths == [len(title) for title in TITLES]


def test_a_share_of_the_readings_is_in_the_other_form():
    rows, plain = TitleRows(TITLES, tokens, 0.3, seed=1), tokens(TITLES)
    torch.manual_seed(0)

    readings = [rows(range(100)) for _ in range(20)]

    other = sum(row != plain[i] for reading in readings for i, row in enumerate(reading))
    unchanged = sum(row == plain[i] for i, row in enumerate(rows.others))
    expected = 0.3 * (1 - unchanged / 100) * 2000
    assert abs(other - expected) < 0.15 * expected
    assert rows.lengths == list(map(len, plain))


def test_the_other_forms_are_of_the_seed_and_the_readings_of_torchs_generator():
    first, second = (TitleRows(TITLES, tokens, 0.5, seed=2) for _ in range(2))
    assert first.others == second.others != TitleRows(TITLES, tokens, 0.5, seed=3).others

    torch.manual_seed(7)
    readings = [first(range(100)) for _ in range(3)]
    torch.manual_seed(7)
    assert readings == [second(range(100)) for _ in range(3)]
    assert readings[0] != readings[1]
