from pathlib import Path

import pytest
from sentence_pairs import by_source, read_pairs, source_key, split, train_tokenizer

from models.errors import DataError


def _pairs(count: int) -> list[tuple[str, str]]:
    return [(f"Sentence {i}{end}", f"Phrase {i}{end}") for i in range(count) for end in ".!?"]


def test_no_source_stands_in_two_parts_however_it_is_punctuated():
    parts = split(_pairs(400))

    keys = [
        {source_key(source) for source, _ in part} for part in (parts.train, parts.dev, parts.test)
    ]
    assert all(keys)
    assert not keys[0] & keys[1]
    assert not keys[0] & keys[2]
    assert not keys[1] & keys[2]
    assert sum(map(len, keys)) == 400


def test_a_part_does_not_depend_on_the_order_of_the_file():
    pairs = _pairs(400)

    assert set(split(pairs).test) == set(split(reversed(pairs)).test)


def test_about_the_share_that_is_asked_for_is_held_out():
    parts = split(_pairs(2000), held_out_percent=10)

    assert len(parts.test) / 6000 == pytest.approx(0.1, abs=0.03)
    assert len(parts.dev) / 6000 == pytest.approx(0.1, abs=0.03)


def test_all_translations_of_a_source_are_its_references():
    assert by_source([("Go.", "Va !"), ("Hi.", "Salut."), ("Go.", "Allez !")]) == {
        "Go.": ["Va !", "Allez !"],
        "Hi.": ["Salut."],
    }


def test_a_pair_that_stands_twice_is_read_once(tmp_path: Path):
    path = tmp_path / "pairs.txt"
    path.write_text("Go.\tVa !\nHi.\tSalut.\nGo.\tVa !\n", encoding="utf-8")

    assert read_pairs(path) == [("Go.", "Va !"), ("Hi.", "Salut.")]


def test_a_line_without_a_tab_is_told_with_its_number(tmp_path: Path):
    path = tmp_path / "pairs.txt"
    path.write_text("Go.\tVa !\nHi. Salut.\n", encoding="utf-8")

    with pytest.raises(DataError) as caught:
        read_pairs(path)

    assert str(caught.value) == f"{path}:2: expected 'source<TAB>target'; fix the line"


def test_subwords_decode_to_the_sentence():
    sentences = ["Où est l'hôtel ?", "L'hôtel est là.", "Où est-il ?"] * 2

    tokenizer = train_tokenizer(sentences, vocab_size=80)

    for sentence in sentences:
        assert tokenizer.decode([1, *tokenizer.encode(sentence).ids, 2, 0, 0]) == sentence
