import pytest

from models.errors import ShapeError, UsageError
from models.transformer.layer_config import LayerConfig, top_of_stack


def test_the_defaults_are_the_papers_base_model():
    config = LayerConfig()

    assert (config.d_model, config.num_heads, config.d_ff, config.dropout) == (512, 8, 2048, 0.1)


def test_the_other_dropouts_follow_unless_set():
    assert LayerConfig(dropout=0.3).dropout_of_weights == 0.3
    assert LayerConfig(dropout=0.3).dropout_inside == 0.3
    assert LayerConfig(dropout=0.3, attention_dropout=0.0).dropout_of_weights == 0.0
    assert LayerConfig(dropout=0.3, inner_dropout=0.0).dropout_inside == 0.0


@pytest.mark.parametrize("sizes", [{"d_model": 0}, {"num_heads": 0}, {"d_ff": 0}, {"head_dim": -1}])
def test_a_size_below_1_is_refused(sizes: dict[str, int]):
    with pytest.raises(UsageError, match="must be at least 1"):
        LayerConfig(**sizes)


def test_a_dropout_of_everything_is_refused():
    with pytest.raises(UsageError, match=r"must lie in \[0, 1\)"):
        LayerConfig(attention_dropout=1.0)


def test_layers_of_different_width_cannot_be_stacked():
    with pytest.raises(ShapeError, match=r"same d_model, got \[8, 16\]"):
        top_of_stack([LayerConfig(8, 2, 9), LayerConfig(16, 2, 9)])
    with pytest.raises(UsageError, match="at least one layer"):
        top_of_stack([])
