"""Scores of titles, and what they say: the store, predictions files, metrics, calibration."""
