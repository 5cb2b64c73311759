"""The same model as engineers write it: `nn.Transformer`, with the rest around it.

`nn.Transformer` is encoder and decoder alone. Embeddings, positions, output projection and its
four masks are ours to bring. Here it serves as the measure of our own.
"""

from __future__ import annotations

from torch import Tensor, nn

from models.errors import UsageError
from models.transformer.embedding import PositionedEmbedding
from models.transformer.feed_forward import ACTIVATIONS
from models.transformer.layer_config import LayerConfig
from models.transformer.masks import causal_mask, padding_mask_from_ids
from models.transformer.seq2seq.key_value_cache import DecoderCache
from models.transformer.seq2seq.transformer import Transformer
from models.transformer.study.torch_weights import from_torch


class TorchTransformer(nn.Module):
    """`Transformer` around `nn.Transformer`; the arguments and methods are the same.

    Raises:
        UsageError: a layer that `nn.Transformer` does not have: rotary, with heads of a size of
            their own, or with dropouts that differ.
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
        _require_torchs(layer)
        self.pad_id, self.bos_id, self.eos_id = pad_id, bos_id, eos_id
        self.source_embedding, self.target_embedding = (
            PositionedEmbedding.of(size, layer, max_len, positions)
            for size in (source_vocab_size, target_vocab_size)
        )
        self.transformer = nn.Transformer(
            d_model=layer.d_model,
            nhead=layer.num_heads,
            num_encoder_layers=num_layers,
            num_decoder_layers=num_layers,
            dim_feedforward=layer.d_ff,
            dropout=layer.dropout,
            activation=ACTIVATIONS[layer.activation],
            layer_norm_eps=layer.eps,
            batch_first=True,
            norm_first=layer.norm_first,
        )
        if not layer.norm_first:  # torch puts a norm on top of post-LN layers, too
            self.transformer.encoder.norm = self.transformer.decoder.norm = None
        self.output_projection = nn.Linear(layer.d_model, target_vocab_size)
        nn.init.xavier_uniform_(self.output_projection.weight)
        nn.init.zeros_(self.output_projection.bias)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """(B, S) and (B, T) ids to (B, T, target_vocab_size) logits."""
        source_padding = padding_mask_from_ids(source, self.pad_id)
        hidden = self.transformer(
            self.source_embedding(source),
            self.target_embedding(target),
            tgt_mask=causal_mask(target.size(1), target.device),
            src_key_padding_mask=source_padding,
            tgt_key_padding_mask=padding_mask_from_ids(target, self.pad_id),
            memory_key_padding_mask=source_padding,
        )
        logits: Tensor = self.output_projection(hidden)
        return logits

    def start(self, source: Tensor) -> Tensor:
        """What each target begins with, <bos>: (B, 1)."""
        return source.new_full((source.size(0), 1), self.bos_id)

    def encode(self, source: Tensor) -> Tensor:
        """(B, S) ids to (B, S, d_model)."""
        padding = padding_mask_from_ids(source, self.pad_id)
        memory: Tensor = self.transformer.encoder(
            self.source_embedding(source), src_key_padding_mask=padding
        )
        return memory

    def decode(
        self, target: Tensor, memory: Tensor, source: Tensor, cache: DecoderCache | None = None
    ) -> Tensor:
        """(B, T) ids and the encoded source to (B, T, target_vocab_size) logits."""
        hidden = self.transformer.decoder(
            self.target_embedding(target),
            memory,
            tgt_mask=causal_mask(target.size(1), target.device),
            tgt_key_padding_mask=padding_mask_from_ids(target, self.pad_id),
            memory_key_padding_mask=padding_mask_from_ids(source, self.pad_id),
        )
        logits: Tensor = self.output_projection(hidden)
        return logits

    def new_cache(self) -> DecoderCache:
        """There is none.

        Raises:
            UsageError: always.
        """
        raise UsageError("nn.Transformer keeps no keys and values; pass use_cache=False")

    def copy_to(self, ours: Transformer) -> None:
        """Give `ours`, built with the same arguments, this model's weights."""
        ours.encoder.load_state_dict(
            from_torch(self.transformer.encoder.state_dict())
            | _below("embedding", self.source_embedding)
        )
        ours.decoder.load_state_dict(
            from_torch(self.transformer.decoder.state_dict())
            | _below("embedding", self.target_embedding)
        )
        ours.output_projection.load_state_dict(self.output_projection.state_dict())


def _require_torchs(layer: LayerConfig) -> None:
    head_dim = layer.head_dim or layer.d_model // layer.num_heads
    not_torchs = {
        "activation": layer.activation not in ACTIVATIONS,
        "head_dim": layer.num_heads * head_dim != layer.d_model,
        "rotary": layer.rotary,
        "attention_dropout": layer.dropout_of_weights != layer.dropout,
        "inner_dropout": layer.dropout_inside != layer.dropout,
    }
    if found := [name for name, is_so in not_torchs.items() if is_so]:
        raise UsageError(
            f"nn.Transformer cannot follow {', '.join(found)} of {layer}; leave it out, or take "
            "Transformer"
        )


def _below(name: str, module: nn.Module) -> dict[str, Tensor]:
    return {f"{name}.{key}": tensor for key, tensor in module.state_dict().items()}
