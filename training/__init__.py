"""From a file of titles to a trained model."""
