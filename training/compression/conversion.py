"""A fine-tuned encoder as a student: the same network on our own Transformer."""

from __future__ import annotations

from pathlib import Path

from tokenizers import Tokenizer

from models.artifact import LoadedModel
from models.encoder import EncoderClassifier
from models.errors import UsageError
from models.student import StudentClassifier, StudentConfig
from models.tokenization import TitleTokenizer
from models.transformer.bert import PretrainedBert

_POSITIONS = "encoder.embedding.positions.table"
_SEGMENTS = "encoder.embedding.segments.weight"


def as_student(model: LoadedModel) -> StudentClassifier:
    """The model as a student that scores alike; one that is a student already, as it is.

    Raises:
        UsageError: a route without a Transformer.
        PretrainedError: an encoder of another architecture than BERT's.
    """
    route = model.uncalibrated
    if type(route) is StudentClassifier:  # one in int8 has no weights to work on
        return route
    if not isinstance(route, EncoderClassifier):
        raise UsageError(
            f"{model.folder} is a model of the route '{model.manifest.route}'; only 'encoder' and "
            "'student' have a Transformer to work on"
        )
    return encoder_as_student(route, model.folder)


def encoder_as_student(encoder: EncoderClassifier, folder: Path) -> StudentClassifier:
    """The same for an encoder that is no model of ours yet.

    Args:
        folder: where it lies, for errors.
    Raises:
        PretrainedError: it is of another architecture than BERT's.
    """
    bert = PretrainedBert.of(folder, encoder.model.config.to_dict(), encoder.model.state_dict())
    pad_id: int = encoder.tokenizer.pad_token_id
    length = min(encoder.max_length or 64, bert.max_positions)
    config = StudentConfig(bert.config["vocab_size"], length, pad_id, tuple(bert.layers()))
    weights = bert.classifier_weights()
    for name, rows in ((_POSITIONS, config.max_positions), (_SEGMENTS, config.segments)):
        weights[name] = weights[name][:rows]
    network = config.build(len(encoder.labels))
    network.load_state_dict(weights)
    own_tokenizer = Tokenizer.from_str(encoder.tokenizer.backend_tokenizer.to_str())
    tokenizer = TitleTokenizer(own_tokenizer, pad_id, length)
    return StudentClassifier(network, config, tokenizer, encoder.labels)
