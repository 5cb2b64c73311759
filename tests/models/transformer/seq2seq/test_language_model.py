import pytest
import torch
from torch.nn import functional as F
from transformers import GPT2Config, GPT2LMHeadModel

from models.errors import ShapeError, UsageError
from models.transformer.encoder import Encoder, EncoderLayer
from models.transformer.layer_config import LayerConfig
from models.transformer.seq2seq.decoder import Decoder, DecoderLayer
from models.transformer.seq2seq.generation import STRATEGIES, generate
from models.transformer.seq2seq.language_model import LanguageModel
from models.transformer.study.cost import parameters

from ..references import assert_close, scatter

SMALL = LayerConfig(16, 4, 32, dropout=0.0)
PROMPTS = torch.tensor([[1, 5, 6], [1, 7, 8]])


@pytest.fixture
def model() -> LanguageModel:
    torch.manual_seed(5)
    model = LanguageModel(12, SMALL, num_layers=2, max_len=30)
    with torch.no_grad():
        model.output_projection.weight.mul_(3)
        model.output_projection.bias[2] = -1.0  # <eos> not too soon
    return model


def _gpt2_and_ours() -> tuple[GPT2LMHeadModel, LanguageModel]:
    """GPT-2 with random weights, and the same weights under our names."""
    torch.manual_seed(0)
    config = GPT2Config(
        vocab_size=12, n_positions=30, n_embd=16, n_layer=2, n_head=4, n_inner=32,
        bos_token_id=1, eos_token_id=2, pad_token_id=0,
    )  # fmt: skip
    theirs = scatter(GPT2LMHeadModel(config)).eval()
    layer = LayerConfig(16, 4, 32, activation="gelu_tanh")
    ours = LanguageModel(12, layer, num_layers=2, max_len=30, positions="learned").eval()
    weights = theirs.state_dict()
    own = {
        "embedding.tokens.weight": weights["transformer.wte.weight"] / 4,  # ours is times √16
        "embedding.positions.table": weights["transformer.wpe.weight"],
    }
    parts = {
        "self_connection.norm": "ln_1",
        "self_attention.in_projection": "attn.c_attn",
        "self_attention.out_projection": "attn.c_proj",
        "feed_forward_connection.norm": "ln_2",
        "feed_forward.widen": "mlp.c_fc",
        "feed_forward.narrow": "mlp.c_proj",
    }
    names = {f"layers.{i}.{a}": f"h.{i}.{b}" for i in range(2) for a, b in parts.items()}
    for name, gpt2 in (names | {"final_norm": "ln_f"}).items():
        weight, bias = (weights[f"transformer.{gpt2}.{kind}"] for kind in ("weight", "bias"))
        first, second = ("gamma", "beta") if "norm" in name else ("weight", "bias")
        own |= {f"{name}.{first}": weight.T, f"{name}.{second}": bias}  # theirs are (in, out)
    ours.decoder.load_state_dict(own)
    ours.output_projection.load_state_dict(
        {"weight": weights["lm_head.weight"], "bias": torch.zeros(12)}
    )
    return theirs, ours


def test_gpt_2_is_this_model():
    theirs, ours = _gpt2_and_ours()
    ids = torch.tensor([[1, 5, 6, 7, 8], [1, 9, 3, 4, 4]])

    assert_close(ours(ids), theirs(ids).logits)


def test_writes_what_gpt_2_writes():
    theirs, ours = _gpt2_and_ours()

    expected = theirs.generate(
        PROMPTS, max_new_tokens=8, do_sample=False, suppress_tokens=[0, 1],
        attention_mask=torch.ones_like(PROMPTS),
    )  # fmt: skip

    assert torch.equal(generate(ours, PROMPTS, max_len=8), expected[:, 3:])


def test_without_a_source_a_layer_is_an_encoders_that_does_not_see_the_future():
    decoder, encoder = Decoder([SMALL], has_source=False), Encoder([SMALL])
    encoder.load_state_dict(
        {
            name.replace("self_attention", "attention").replace("self_conn", "attention_conn"): w
            for name, w in decoder.state_dict().items()
        }
    )
    x = torch.randn(1, 5, 16)

    read = [decoder(x[:, : n + 1])[:, n] for n in range(5)]

    assert_close(torch.stack(read, dim=1), decoder(x))
    assert_close(encoder(x)[:, 4], decoder(x)[:, 4])  # the last position has no future
    assert not torch.allclose(encoder(x)[:, :4], decoder(x)[:, :4], atol=1e-3)
    assert parameters(DecoderLayer(SMALL, has_source=False)) == parameters(EncoderLayer(SMALL))


def test_a_decoder_is_given_a_memory_exactly_if_it_has_a_source():
    x = torch.randn(1, 2, 16)

    with pytest.raises(UsageError, match="has_source=False and was given a memory"):
        Decoder([SMALL], has_source=False)(x, x)
    with pytest.raises(UsageError, match="has_source=True and was given no memory"):
        Decoder([SMALL])(x)


def test_what_follows_changes_no_logit(model: LanguageModel):
    ids, other = torch.tensor([[1, 5, 6, 7, 8]]), torch.tensor([[1, 5, 6, 3, 4]])

    assert torch.equal(model(ids)[:, :3], model(other)[:, :3])
    assert not torch.allclose(model(ids)[:, 3:], model(other)[:, 3:])


def test_padding_behind_a_text_changes_no_logit(model: LanguageModel):
    ids = torch.tensor([[1, 5, 6, 7]])

    assert_close(model(F.pad(ids, (0, 3)))[:, :4], model(ids))


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("positions", ["fixed", "learned"])
def test_cached_generation_equals_uncached(strategy: str, positions: str):
    torch.manual_seed(1)
    model = LanguageModel(12, SMALL, num_layers=2, positions=positions)

    cached, uncached = (
        generate(model, PROMPTS, strategy, max_len=9, use_cache=use, seed=7)
        for use in (True, False)
    )

    assert torch.equal(cached, uncached)


def test_goes_on_with_its_prompt_and_returns_what_is_new(model: LanguageModel):
    written = generate(model, PROMPTS, max_len=6)

    text = torch.cat((PROMPTS, written), dim=1)
    best = model.eval()(text)[:, 2:-1, 2:].argmax(-1) + 2
    assert text.shape == (2, 9)
    assert torch.equal(best[written != 0], written[written != 0])


def test_one_beam_is_greedy(model: LanguageModel):
    greedy = generate(model, PROMPTS, max_len=7)

    assert torch.equal(greedy, generate(model, PROMPTS, "beam", max_len=7, beam_size=1))


def test_padded_prompts_are_refused(model: LanguageModel):
    with pytest.raises(UsageError, match="must be of one length, unpadded"):
        generate(model, torch.tensor([[1, 5, 6], [1, 7, 0]]))


def test_a_prompt_counts_as_part_of_the_longest_sequence(model: LanguageModel):
    with torch.no_grad():
        model.output_projection.bias[2] = -1e4

    assert generate(model, PROMPTS, max_len=28).shape == (2, 28)  # the last one is not read
    with pytest.raises(ShapeError, match="ends at 31"):
        generate(model, PROMPTS, max_len=29)


def test_learns_to_count():
    torch.manual_seed(0)
    model = LanguageModel(9, SMALL, num_layers=1, positions="learned")
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(60):
        ids = (torch.randint(6, (16, 1)) + torch.arange(8)) % 6 + 3
        loss = F.cross_entropy(model(ids)[:, :-1].flatten(0, 1), ids[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    assert generate(model, torch.tensor([[3, 4], [7, 8]]), max_len=4).tolist() == [
        [5, 6, 7, 8],
        [3, 4, 5, 6],
    ]
