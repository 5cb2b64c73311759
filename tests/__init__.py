"""Tests, folder by folder as the rooms."""
