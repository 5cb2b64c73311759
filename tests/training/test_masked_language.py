from dataclasses import replace
from pathlib import Path

import pytest
import torch
from transformers import AutoModel, AutoModelForMaskedLM, AutoTokenizer

from models.errors import UsageError
from models.outputs import claim_folder
from titles import LabelledTitles
from training.masked_language import (
    ENCODER,
    MaskedLanguageLoss,
    PretrainSettings,
    continue_pretraining,
)
from training.run_folder import RUN

SETTINGS = PretrainSettings(epochs=20, batch_size=12, learning_rate=3e-3, precision="fp32")


@pytest.fixture
def loss(tiny_encoder: Path) -> MaskedLanguageLoss:
    return MaskedLanguageLoss([[2, 5, 6, 3]], AutoTokenizer.from_pretrained(tiny_encoder), SETTINGS)


def test_masking_is_80_10_10_and_spares_the_specials(loss: MaskedLanguageLoss):
    torch.manual_seed(0)
    ids = torch.full((500, 42), 7)
    ids[:, 0], ids[:, -1] = 2, 3

    corrupted, chosen = loss.mask(ids)

    assert not chosen[:, 0].any()
    assert not chosen[:, -1].any()
    assert chosen[:, 1:-1].float().mean().item() == pytest.approx(0.2, abs=0.01)
    assert (corrupted[~chosen] == ids[~chosen]).all()
    shares = [(corrupted[chosen] == 4), (corrupted[chosen] == 7)]
    assert shares[0].float().mean().item() == pytest.approx(0.8, abs=0.02)
    assert shares[1].float().mean().item() == pytest.approx(0.1, abs=0.02)


def test_at_least_one_piece_of_a_batch_is_guessed(loss: MaskedLanguageLoss):
    for _ in range(50):
        _, chosen = loss.mask(torch.tensor([[2, 5, 3]]))
        assert chosen.tolist() == [[False, True, False]]


def test_the_loss_is_the_models_own(tiny_encoder: Path, loss: MaskedLanguageLoss):
    model = AutoModelForMaskedLM.from_pretrained(tiny_encoder).eval()
    torch.manual_seed(3)
    ours = loss(model, [0])

    torch.manual_seed(3)
    ids = torch.tensor([[2, 5, 6, 3]])
    corrupted, chosen = loss.mask(ids)
    labels = ids.masked_fill(~chosen, -100)
    expected = model(input_ids=corrupted, attention_mask=torch.ones_like(ids), labels=labels).loss
    assert ours.item() == pytest.approx(expected.item(), abs=1e-5)


def test_pretraining_goes_on_and_writes_an_encoder_of_the_same_format(
    tmp_path: Path, tiny_encoder: Path, three_topics: LabelledTitles
):
    history = continue_pretraining(
        tiny_encoder, three_topics.titles, tmp_path / "adapted", SETTINGS, tmp_path / "run", False
    )

    first, last = history.steps[0]["loss"], history.steps[-1]["loss"]
    assert last < first
    before, after = (AutoModel.from_pretrained(f) for f in (tiny_encoder, tmp_path / "adapted"))
    assert before.config.hidden_dropout_prob == after.config.hidden_dropout_prob == 0.1
    weights = "encoder.layer.0.output.dense.weight"
    assert not torch.equal(before.get_parameter(weights), after.get_parameter(weights))
    assert AutoTokenizer.from_pretrained(tmp_path / "adapted")("股市").input_ids[0] == 2


def test_only_an_encoder_that_was_written_so_is_replaced_by_another(
    tmp_path: Path, tiny_encoder: Path, three_topics: LabelledTitles
):
    output, run, short = tmp_path / "adapted", tmp_path / "run", replace(SETTINGS, epochs=1)
    continue_pretraining(tiny_encoder, three_topics.titles, output, short, run, False)

    claim_folder(output, [tiny_encoder], ENCODER)
    claim_folder(run, [tiny_encoder], RUN)
    (output / "vocab.txt").touch()
    with pytest.raises(UsageError, match="not an encoder that biaoti wrote: it also holds vocab"):
        claim_folder(output, [], ENCODER)
    with pytest.raises(UsageError, match=r"not an encoder .* wrote: it has no config\.json"):
        claim_folder(run, [], ENCODER)
    with pytest.raises(UsageError, match=r"not a run's folder: it has no checkpoint\.pt or"):
        claim_folder(output, [], RUN)


def test_more_tokens_than_the_encoder_has_positions_are_refused_before_training(
    tmp_path: Path, tiny_encoder: Path
):
    settings = replace(SETTINGS, max_length=81)

    with pytest.raises(UsageError, match="max_length must be at most 80 with this encoder"):
        continue_pretraining(
            tiny_encoder, ["股市"], tmp_path / "o", settings, tmp_path / "r", False
        )
    assert not (tmp_path / "r").exists()
