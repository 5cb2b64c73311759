"""Let a student's layers compute what the teacher's do.

    mean over i = 0 … M of MSE(h_i, H_g(i)),    g(i) = round(i · N / M)

h_i is what layer i of the student's M gives, H_j what layer j of the teacher's N does; 0 is the
embedding. Source: Jiao et al. 2020, "TinyBERT", eq. 6 to 8; here without a projection, so the two
have the same d_model.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from models.errors import UsageError
from models.student import StudentClassifier


class HiddenStateLoss:
    """Mean squared difference between hidden states.

    The teacher reads a title in the student's pieces, by its own ids for them, so that positions
    correspond even where the student's vocabulary was cut.

    Args:
        teacher: put into evaluation mode; never trained.
        student: of the same d_model, each of its pieces one of the teacher's, too.
    Raises:
        UsageError: they do not fit.
    """

    def __init__(self, teacher: StudentClassifier, student: StudentClassifier):
        sizes = [model.config.layers[0].d_model for model in (student, teacher)]
        if sizes[0] != sizes[1]:
            raise UsageError(
                f"hidden states of {sizes[0]} and {sizes[1]} numbers cannot be compared; start "
                "from the teacher's layers or pass --hidden-weight 0"
            )
        self.network = teacher.network.eval()
        self.teacher_ids = _ids_in(teacher, student)  # (student's vocabulary,)
        depth, full_depth = len(student.config.layers), len(teacher.config.layers)
        self.layers = [round(i * full_depth / depth) for i in range(depth + 1)]

    def __call__(self, states: Sequence[Tensor], ids: Tensor, padding_mask: Tensor) -> Tensor:
        """Compare a batch.

        Args:
            states: the student's, (B, S, d_model) each, the embedding's first.
            ids: (B, S), the student's.
            padding_mask: (B, S) bool; True = padding, which is not compared.
        """
        self.network.to(ids.device)
        with torch.no_grad():
            trace = self.network.encoder.trace(self.teacher_ids.to(ids.device)[ids], padding_mask)
        real = ~padding_mask
        differences = [
            (own.float() - trace.hidden_states[layer].float())[real].square().mean()
            for own, layer in zip(states, self.layers, strict=True)
        ]
        return torch.stack(differences).mean()


def _ids_in(teacher: StudentClassifier, student: StudentClassifier) -> Tensor:
    """The teacher's id of each of the student's pieces: (student's vocabulary,) int64."""
    pieces = [student.tokenizer.tokenizer.id_to_token(i) for i in range(student.config.vocab_size)]
    to_id = teacher.tokenizer.tokenizer.token_to_id
    ids = [0 if piece is None else to_id(piece) for piece in pieces]  # no piece: never read
    unknown = [piece for piece, i in zip(pieces, ids, strict=True) if i is None]
    if unknown:
        raise UsageError(
            f"the teacher's vocabulary lacks {len(unknown)} of the student's pieces, such as "
            f"'{unknown[0]}'; pass --hidden-weight 0"
        )
    return torch.tensor(ids)
