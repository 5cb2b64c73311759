"""The decoder alone: a language model, which goes on with what it has read. GPT is this.

    x ← x + Attention(x, x, x)        masked: no future
    x ← x + FFN(x)
    logits = x W + b

BERT keeps the encoder, to read; GPT keeps the decoder, to write. Without an encoder there is no
source and no cross-attention: what the text is about stands before it, in the same sequence.
Training reads a text at once: the logits at w₁ … wₙ₋₁ are scored against w₂ … wₙ.
Source: Radford et al. 2018, "Improving Language Understanding by Generative Pre-Training".
"""

from __future__ import annotations

from torch import Tensor, nn

from models.errors import UsageError
from models.transformer.embedding import PositionedEmbedding
from models.transformer.layer_config import LayerConfig
from models.transformer.masks import padding_mask_from_ids
from models.transformer.seq2seq.decoder import Decoder
from models.transformer.seq2seq.key_value_cache import DecoderCache


class LanguageModel(nn.Module):
    """Decoder and output projection; `generate` goes on with its prompts.

    Args:
        vocab_size: number of tokens.
        layer: what every layer is built from.
        num_layers: layers.
        max_len: longest sequence, prompt included.
        pad_id, bos_id, eos_id: padding, and the tokens a text starts and ends with.
        positions: "fixed" or, as GPT's, "learned"; rotary layers take none.
    """

    def __init__(
        self,
        vocab_size: int,
        layer: LayerConfig | None = None,
        num_layers: int = 6,
        max_len: int = 512,
        pad_id: int = 0,
        bos_id: int = 1,
        eos_id: int = 2,
        positions: str = "fixed",
    ):
        super().__init__()
        layer = layer or LayerConfig()
        self.pad_id, self.bos_id, self.eos_id = pad_id, bos_id, eos_id
        embedding = PositionedEmbedding.of(vocab_size, layer, max_len, positions)
        self.decoder = Decoder([layer] * num_layers, embedding=embedding, has_source=False)
        self.output_projection = nn.Linear(layer.d_model, vocab_size)
        nn.init.xavier_uniform_(self.output_projection.weight)
        nn.init.zeros_(self.output_projection.bias)

    def forward(self, ids: Tensor, cache: DecoderCache | None = None) -> Tensor:
        """Score every next token of a text at once.

        Args:
            ids: (B, T), padded at the end; with a cache, the newest alone.
            cache: from `new_cache`; this call adds to it.
        Returns:
            (B, T, vocab_size) logits; row t is for the token after ids[:, t].
        """
        padding = padding_mask_from_ids(ids, self.pad_id) if cache is None else None
        logits: Tensor = self.output_projection(
            self.decoder(ids, target_padding_mask=padding, cache=cache)
        )
        return logits

    def start(self, source: Tensor) -> Tensor:
        """What each text begins with: its prompt, (B, S).

        Raises:
            UsageError: a prompt is padded; what follows it would stand behind a gap.
        """
        if (source == self.pad_id).any():
            raise UsageError("prompts that are written on together must be of one length, unpadded")
        return source

    def encode(self, source: Tensor) -> Tensor:
        """Nothing: a prompt is read as the beginning of the text."""
        return source

    def decode(
        self, target: Tensor, memory: Tensor, source: Tensor, cache: DecoderCache | None = None
    ) -> Tensor:
        """As `forward`; what a source would have given is not read."""
        return self.forward(target, cache)

    def new_cache(self) -> DecoderCache:
        """An empty cache for a sequence of calls."""
        return DecoderCache(len(self.decoder.layers))
