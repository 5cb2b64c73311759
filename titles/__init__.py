"""Files of titles: read, check, clean and name them.

A `Source` says where titles are and in what format. `read` gives all of one as `LabelledTitles`,
which training and evaluation take; `read_splits` gives the usable titles of several, with a
`Report` of all that is wrong in them; `read_titles` streams titles alone. `check` makes the report
without holding the titles, `report_text` lays it out, `fix` writes cleaned copies. A file is
parsed once, whichever it is: one pass over its records (`reading`) gives each label an id
(`label_ids`), judges each row (`rows`), counts (`scan`) and hashes.

`fingerprint` says which data a source is, `leaked` which titles stand in another split,
`write_folds` cuts titles into folds, `write_recombined` makes new titles of parts of a file's.
"""

from titles.checking import check
from titles.columns import LABEL_COLUMNS, TITLE_COLUMNS
from titles.dropping import objections
from titles.findings import CODES, Finding, Place
from titles.fixing import FixResult, fix
from titles.folds import write_folds
from titles.label_ids import Classes
from titles.labelled import Fingerprint, LabelledTitles
from titles.loading import read, read_splits, read_titles, read_unlabelled
from titles.newsroom_labels import NO_LABEL
from titles.normalisation import distinct_titles, leaked, normalise
from titles.reading import fingerprint
from titles.recombination import write_recombined
from titles.repair import repair
from titles.report import Report, SplitSummary
from titles.report_text import report_text
from titles.source import FORMATS, Source
from titles.writing import write_titles

__all__ = [
    "CODES",
    "FORMATS",
    "LABEL_COLUMNS",
    "NO_LABEL",
    "TITLE_COLUMNS",
    "Classes",
    "Finding",
    "Fingerprint",
    "FixResult",
    "LabelledTitles",
    "Place",
    "Report",
    "Source",
    "SplitSummary",
    "check",
    "distinct_titles",
    "fingerprint",
    "fix",
    "leaked",
    "normalise",
    "objections",
    "read",
    "read_splits",
    "read_titles",
    "read_unlabelled",
    "repair",
    "report_text",
    "write_folds",
    "write_recombined",
    "write_titles",
]
