"""Which split may least lose rows."""

import pytest

from titles.protection import protection


@pytest.mark.parametrize(
    ("split", "expected"),
    [
        ("train", 0),
        ("dev", 1),
        ("valid", 1),
        ("validation-1", 1),
        ("dev_0", 1),
        ("test", 2),
        ("Test_public", 2),
        ("latest", 0),
        ("device", 0),
    ],
)
def test_a_splits_name_says_how_it_is_protected(split: str, expected: int):
    assert protection(split) == expected
