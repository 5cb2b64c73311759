"""As the folder above: one file a module."""
