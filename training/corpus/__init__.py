"""Files of titles: read, check, clean and name them.

A `Source` says where titles are and in what format; `find_labels` its classes; `read` and `load`
its usable rows. `check` finds everything wrong with a set of splits, `fix` writes cleaned copies,
`leaked` tells which titles stand in another split, `write_folds` cuts a file into folds,
`write_pieces` makes new titles of pieces of a file's, `fingerprint` says what a model was trained
on.
"""

from training.corpus.checking import check
from training.corpus.columns import LABEL_COLUMNS, TITLE_COLUMNS
from training.corpus.findings import CODES, Finding, Place
from training.corpus.fingerprints import fingerprint
from training.corpus.fixing import FixResult, fix
from training.corpus.folds import write_folds
from training.corpus.label_names import find_labels
from training.corpus.normalisation import leaked, normalise
from training.corpus.pieces import write_pieces
from training.corpus.repair import repair
from training.corpus.report import Report, SplitSummary
from training.corpus.rows import Row, load, read
from training.corpus.source import FORMATS, Source

__all__ = [
    "CODES",
    "FORMATS",
    "LABEL_COLUMNS",
    "TITLE_COLUMNS",
    "Finding",
    "FixResult",
    "Place",
    "Report",
    "Row",
    "Source",
    "SplitSummary",
    "check",
    "find_labels",
    "fingerprint",
    "fix",
    "leaked",
    "load",
    "normalise",
    "read",
    "repair",
    "write_folds",
    "write_pieces",
]
