"""The whole Transformer: source to vectors, vectors and a target so far to the next token.

    logits = Decoder(target, Encoder(source)) W + b

Training reads the whole target at once, shifted right: the input <bos> w₁ … wₙ is scored against
w₁ … wₙ <eos>, and the causal mask keeps each position from its answer. Cross-entropy takes logits;
no softmax here.
Source: Vaswani et al. 2017, figure 1.
"""

from __future__ import annotations

from torch import Tensor, nn

from models.transformer.embedding import PositionedEmbedding
from models.transformer.encoder import Encoder
from models.transformer.layer_config import LayerConfig
from models.transformer.masks import padding_mask_from_ids
from models.transformer.seq2seq.decoder import Decoder
from models.transformer.seq2seq.key_value_cache import DecoderCache


class Transformer(nn.Module):
    """Encoder, decoder and output projection. Padding is found by `pad_id`.

    Args:
        source_vocab_size, target_vocab_size: number of tokens.
        layer: what every layer is built from.
        num_layers: layers of the encoder, and of the decoder.
        max_len: longest sequence; two to four times what the data holds.
        pad_id, bos_id, eos_id: padding, and the tokens a target starts and ends with.
        positions: "fixed" or "learned"; rotary layers take none.
    """

    def __init__(
        self,
        source_vocab_size: int,
        target_vocab_size: int,
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
        stack = [layer] * num_layers
        self.pad_id, self.bos_id, self.eos_id = pad_id, bos_id, eos_id
        source, target = (
            PositionedEmbedding.of(size, layer, max_len, positions)
            for size in (source_vocab_size, target_vocab_size)
        )
        self.encoder = Encoder(stack, embedding=source)
        self.decoder = Decoder(stack, embedding=target)
        self.output_projection = nn.Linear(layer.d_model, target_vocab_size)
        nn.init.xavier_uniform_(self.output_projection.weight)
        nn.init.zeros_(self.output_projection.bias)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Score every next token of a target at once.

        Args:
            source: (B, S) ids.
            target: (B, T) ids, shifted right.
        Returns:
            (B, T, target_vocab_size) logits; row t is for the token after target[:, t].
        """
        return self.decode(target, self.encode(source), source)

    def start(self, source: Tensor) -> Tensor:
        """What each target begins with, <bos>: (B, 1)."""
        return source.new_full((source.size(0), 1), self.bos_id)

    def encode(self, source: Tensor) -> Tensor:
        """Read a source, once: (B, S) ids to (B, S, d_model)."""
        memory: Tensor = self.encoder(source, padding_mask_from_ids(source, self.pad_id))
        return memory

    def decode(
        self,
        target: Tensor,
        memory: Tensor,
        source: Tensor,
        cache: DecoderCache | None = None,
    ) -> Tensor:
        """Score every next token of a target, given what `encode` returned.

        Args:
            target: (B, T) ids; with a cache, the newest alone.
            memory: (B, S, d_model), the encoded source.
            source: (B, S) ids, for their padding.
            cache: from `new_cache`; this call adds to it.
        Returns:
            (B, T, target_vocab_size) logits.
        """
        source_padding = padding_mask_from_ids(source, self.pad_id)
        # With a cache, only rows that have ended hold padding, and nobody reads those.
        target_padding = padding_mask_from_ids(target, self.pad_id) if cache is None else None
        hidden = self.decoder(target, memory, target_padding, source_padding, cache)
        logits: Tensor = self.output_projection(hidden)
        return logits

    def new_cache(self) -> DecoderCache:
        """An empty cache for a sequence of calls of `decode`."""
        return DecoderCache(len(self.decoder.layers))
