"""How good a model is: metrics, batch evaluation, comparison."""
