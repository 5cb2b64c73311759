from pathlib import Path

import pytest

from models.transformer.study.saturation import draw_saturation, saturation


def test_without_the_division_one_key_takes_nearly_all_the_weight():
    assert saturation(512, scaled=False).largest_weight == pytest.approx(0.94, abs=0.015)
    assert saturation(512, scaled=True).largest_weight == pytest.approx(0.24, abs=0.015)


def test_with_the_division_the_size_of_a_head_does_not_matter():
    small, large = saturation(16, scaled=True), saturation(512, scaled=True)

    assert small.largest_weight == pytest.approx(large.largest_weight, abs=0.01)
    assert small.gradient == pytest.approx(large.gradient, abs=0.01)


def test_where_the_softmax_saturates_the_gradient_vanishes():
    assert saturation(512, scaled=False).gradient < 0.3 * saturation(512, scaled=True).gradient


def test_one_key_has_all_the_weight_and_no_gradient():
    found = saturation(8, scaled=True, keys=1)

    assert (found.largest_weight, found.gradient) == (1.0, 0.0)


def test_two_equal_keys_share_by_hand():
    found = saturation(8, scaled=True, keys=2, queries=20_000)

    # w = σ(s₁ − s₂), and the Jacobian's norm is 2 w (1 − w), at most 1/2
    assert 0.5 < found.largest_weight < 1
    assert 0.25 < found.gradient < 0.5


def test_the_picture_is_written(tmp_path: Path):
    written = draw_saturation(tmp_path / "saturation.png", sizes=(8, 16))

    assert written.read_bytes()[:4] == b"\x89PNG"
