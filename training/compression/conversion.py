"""A fine-tuned encoder as a student: the same network on our own Transformer."""

from __future__ import annotations

from models.artifact import LoadedModel
from models.encoder import EncoderClassifier
from models.errors import UsageError
from models.student import StudentClassifier, StudentConfig
from models.tokenization import TitleTokenizer
from models.transformer.bert import BertFolder
from models.transformer.sequence_classifier import SequenceClassifier


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
    bert = BertFolder.read(model.folder)
    length = min(route.max_length or 64, bert.config.get("max_position_embeddings", 512))
    pad_id: int = route.tokenizer.pad_token_id
    config = StudentConfig(bert.config["vocab_size"], length, pad_id, tuple(bert.layers()))
    network = config.build(len(route.labels))
    weights = SequenceClassifier.from_bert(model.folder).state_dict()
    weights["encoder.embedding.positions.table"] = weights["encoder.embedding.positions.table"][
        :length
    ]
    weights["encoder.embedding.segments.weight"] = weights["encoder.embedding.segments.weight"][:1]
    network.load_state_dict(weights)
    tokenizer = TitleTokenizer(route.tokenizer.backend_tokenizer, pad_id, length)
    return StudentClassifier(network, config, tokenizer, route.labels)
