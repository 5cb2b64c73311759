"""The Transformer that writes: decoder, generation, and what they remember between two tokens."""
