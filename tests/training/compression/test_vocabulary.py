import json
import string

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from models.errors import UsageError
from models.title_text import clean
from training.compression.vocabulary import count_uses, prune_vocabulary

SPECIALS = ["<s>", "<pad>", "</s>", "<unk>"]
WORDS = ["股市", "大涨", "股市大涨", "球队", "比赛", "冠军", "高考", "▁股市", "▁球队", "abc", "é股"]
TITLES = ["股市大涨", "球队比赛 冠军", "股市大涨abc", "股市 高考"]


def build(words: list[str]) -> Tokenizer:
    """A unigram tokenizer as XLM-R's: words score above the characters that spell them."""
    characters = dict.fromkeys("▁" + "".join(words).replace("é", "") + string.ascii_lowercase)
    singles = [c for c in characters if c != "é"]
    scored = [(c, -9.0) for c in singles] + [(w, -8.0 - len(w) / 10) for w in words if len(w) > 1]
    vocabulary = [(special, 0.0) for special in SPECIALS] + scored + [("<mask>", 0.0)]
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=3, byte_fallback=False))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always", split=False)
    tokenizer.add_special_tokens([*SPECIALS, "<mask>"])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return tokenizer


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return build(WORDS)


def test_everything_is_kept_where_there_is_room(tokenizer: Tokenizer):
    pruned, kept = prune_vocabulary(tokenizer, TITLES, 10_000)

    assert kept == list(range(tokenizer.get_vocab_size()))
    for title in [*TITLES, "没见过 xyz"]:
        assert pruned.encode(title).ids == tokenizer.encode(title).ids


def test_piece_i_of_the_smaller_one_was_piece_kept_i(tokenizer: Tokenizer):
    pruned, kept = prune_vocabulary(tokenizer, TITLES, 50)

    assert len(kept) == pruned.get_vocab_size() == 50
    assert kept == sorted(set(kept))
    assert [pruned.id_to_token(i) for i in range(50)] == [tokenizer.id_to_token(i) for i in kept]


def test_specials_stay_and_frame_a_title_by_their_new_ids(tokenizer: Tokenizer):
    pruned, kept = prune_vocabulary(tokenizer, TITLES, 50)

    assert pruned.token_to_id("<mask>") == 49 == kept.index(tokenizer.token_to_id("<mask>"))
    assert pruned.encode("股市<mask>").tokens == ["<s>", "▁股市", "<mask>", "</s>"]
    content = json.loads(pruned.to_str())
    assert content["model"]["unk_id"] == pruned.token_to_id("<unk>")
    assert {t["content"]: t["id"] for t in content["added_tokens"]} == {
        name: pruned.token_to_id(name) for name in [*SPECIALS, "<mask>"]
    }


def test_the_most_used_pieces_stay_and_the_others_are_spelled(tokenizer: Tokenizer):
    uses = count_uses(tokenizer, TITLES * 3 + ["球队"] * 9)
    assert uses[tokenizer.token_to_id("▁球队")] == 12

    smallest = size_needed(tokenizer, TITLES)
    pruned, _ = prune_vocabulary(tokenizer, TITLES * 3 + ["球队"] * 9, smallest + 1)

    assert pruned.encode("球队比赛", add_special_tokens=False).tokens == ["▁球队", "比", "赛"]


def test_a_piece_that_characters_cannot_spell_stays_if_it_is_used(tokenizer: Tokenizer):
    titles = [*TITLES, "é股"]
    pruned, _ = prune_vocabulary(tokenizer, titles, size_needed(tokenizer, titles))

    assert pruned.token_to_id("é股") is not None
    assert unknown(pruned, "é股") == 0
    unused, _ = prune_vocabulary(tokenizer, TITLES, size_needed(tokenizer, TITLES))
    assert unused.token_to_id("é股") is None


def test_ascii_stays_though_no_title_has_it(tokenizer: Tokenizer):
    pruned, _ = prune_vocabulary(tokenizer, ["球队"], size_needed(tokenizer, ["球队"]))

    assert unknown(pruned, "球队 xyz") == 0
    assert unknown(pruned, "高考") == 1


@settings(max_examples=40, deadline=None)
@example(["市市"], [" "], 0)
@given(
    st.lists(st.text("股市涨球队", min_size=2, max_size=4), min_size=1, max_size=8, unique=True),
    st.lists(st.text("股市涨球队赛 ab", min_size=1, max_size=10), min_size=1, max_size=6),
    st.integers(0, 6),
)
def test_no_title_gets_an_unk_that_had_none(words: list[str], titles: list[str], extra: int):
    tokenizer = build(words)
    pruned, _ = prune_vocabulary(tokenizer, titles, size_needed(tokenizer, titles) + extra)

    for title in map(clean, titles):
        assert unknown(pruned, title) == unknown(tokenizer, title)
        assert "".join(pruned.encode(title).tokens) == "".join(tokenizer.encode(title).tokens)


def test_too_small_a_size_says_what_is_needed(tokenizer: Tokenizer):
    needed = size_needed(tokenizer, TITLES)

    with pytest.raises(UsageError, match=f"need {needed} pieces, so {needed - 1} are too few"):
        prune_vocabulary(tokenizer, TITLES, needed - 1)


def test_another_kind_of_tokenizer_is_refused():
    words = Tokenizer(models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))

    with pytest.raises(UsageError, match=r"\(WordLevel, None\) cannot be cut"):
        prune_vocabulary(words, TITLES, 100)


def unknown(tokenizer: Tokenizer, title: str) -> int:
    """How many pieces of a title are <unk>; a run of unknown characters is one."""
    return tokenizer.encode(title).ids.count(tokenizer.token_to_id("<unk>"))


def size_needed(tokenizer: Tokenizer, titles: list[str]) -> int:
    """The smallest size that is not refused."""
    with pytest.raises(UsageError) as caught:
        prune_vocabulary(tokenizer, titles, 0)
    return int(str(caught.value).split()[3])
