"""Routes without a Transformer, behind the same protocol."""
