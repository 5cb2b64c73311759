"""Learning from labels that say less than one class, and from titles of no class.

    a title that may be of the classes S:    −log Σ_{c∈S} p(c)
    a title outside all classes:             λ · mean_c −log p(c)

The first is cross-entropy where S is one class, and 0 where it is all of them. The second teaches
that nothing is likely, so that confidence is low. Sources: Feng et al. 2020, "Provably Consistent
Partial-Label Learning" (the classifier-consistent loss); Hendrycks et al. 2019, "Deep Anomaly
Detection with Outlier Exposure".
"""

from __future__ import annotations

import torch
from torch import Tensor


def partial_label_loss(
    logits: Tensor, may_be: Tensor, smoothing: float = 0.0, outside_weight: float = 1.0
) -> Tensor:
    """The loss of each title, (B,).

    Args:
        logits: (B, classes).
        may_be: (B, classes) bool; a row without True is a title outside all classes.
        smoothing: share of the target of the first kind that is spread evenly over all classes.
        outside_weight: λ.
    """
    log_probabilities = logits.log_softmax(dim=-1)
    even = -log_probabilities.mean(dim=-1)
    hidden = log_probabilities.masked_fill(~may_be, float("-inf"))
    in_scope = may_be.any(dim=-1)
    # else the gradient of a row of -inf is NaN
    likely = torch.where(in_scope[:, None], hidden, log_probabilities).logsumexp(dim=-1)
    known = -(1 - smoothing) * likely + smoothing * even
    says_nothing = may_be.all(dim=-1)
    return torch.where(in_scope, known.masked_fill(says_nothing, 0.0), outside_weight * even)
