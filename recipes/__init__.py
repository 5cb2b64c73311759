"""Verbs: one function each; folders and files in, a saved model or a result out."""
