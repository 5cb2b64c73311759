"""The console command `biaoti`: thin, one function a verb."""

from cli.main import main

__all__ = ["main"]
