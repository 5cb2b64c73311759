"""What there is to study: cost, figures, and the same network by `torch.nn`, to compare with."""
