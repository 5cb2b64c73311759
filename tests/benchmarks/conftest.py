import sys
from pathlib import Path

_SCRIPTS = Path(__file__).parents[2] / "benchmarks"  # scripts, not a package
sys.path[:0] = [str(_SCRIPTS), str(_SCRIPTS / "translation")]
