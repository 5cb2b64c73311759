"""Files of titles: read, check, clean and name them.

A `Source` says where titles are and in what format; `find_labels` its classes; `read` and `load`
its usable rows. `check` finds everything wrong with a set of splits, `fix` writes cleaned copies,
`leaked` tells which titles stand in another split, `write_folds` cuts a file into folds,
`write_pieces` makes new titles of pieces of a file's, `fingerprint` says what a model was trained
on.
"""

from titles.checking import check
from titles.columns import LABEL_COLUMNS, TITLE_COLUMNS
from titles.findings import CODES, Finding, Place
from titles.fingerprints import fingerprint
from titles.fixing import FixResult, fix
from titles.folds import write_folds
from titles.label_names import find_labels
from titles.normalisation import leaked, normalise
from titles.recombination import write_pieces
from titles.repair import repair
from titles.report import Report, SplitSummary
from titles.rows import Row, load, read
from titles.source import FORMATS, Source

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
