"""`biaoti data check`, `folds` and `recombine`: files of titles before anything is trained."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from tokenizers import Tokenizer

from models.bounds import Checked, PositiveInt, Seed, Whole
from models.errors import UsageError
from models.outputs import claim_file, claim_folder
from models.title_text import clean
from models.tokenization import FILE
from recipes.lessons import read_all_titles
from recipes.settings import (
    FileArgument,
    FileArguments,
    Files,
    OptionalPath,
    Reading,
    Saving,
)
from recipes.telling import logger, say
from scoring.remarks import of_sizes
from titles import Report, check, fix, read, write_folds, write_recombined
from titles.folds import FOLDS
from titles.protection import numbered, protection
from titles.recombination import RECOMBINED


@dataclass(frozen=True, kw_only=True)
class DataCheck(Checked):
    """Report what is wrong with files of titles; with --fix, write cleaned copies.

    Errors are rows that training cannot use; the exit code is then 3. Warnings are duplicates,
    titles with two labels, lost characters, titles that leak from one split into another, and
    labels that are hardly classes. --fix writes train.clean.txt beside train.txt and lists in
    train.dropped.csv the rows that it leaves out. It refuses (exit code 3) where more than a few
    rows of a file cannot be used, or all rows of a class would go: that has another cause.
    """

    files: FileArguments
    """One split each, as [NEWSROOM=]FILE: its name is the file's, as train, dev or test."""
    fix: bool = False
    """Write cleaned copies beside the originals."""
    force: bool = False
    """With --fix, write the copies whatever they lose."""
    tokenizer: OptionalPath = None
    """Count tokens too, with the tokenizer.json of a model's folder."""
    reading: Reading = Reading()


@dataclass(frozen=True, kw_only=True)
class DataFolds(Saving):
    """Cut a labelled file into folds: what to train on, and what to ask the trained model.

    Each fold is a folder with train.jsonl, held_out.jsonl and class.txt. Models trained on the one
    and asked for the other score every training title as if it were new: what 'biaoti distill
    --scores' wants of a teacher, and what shows doubtful labels. 'biaoti crossfit' does all of it.
    """

    file: FileArgument
    """Labelled titles."""
    folds: Annotated[int, Whole(least=2)] = 2
    """How many."""
    reading: Reading = Reading()


@dataclass(frozen=True, kw_only=True)
class DataRecombine(Saving):
    """Make new titles, without labels, of parts of a file's, for a teacher to judge.

    Made of the held-out titles of a fold and scored by a teacher that has learned the rest, they
    show a student what to make of words as they stand in real titles ('biaoti crossfit').
    """

    file: FileArgument
    """Titles; labels are not read."""
    each: PositiveInt = 2
    """How many for each title."""
    seed: Seed = 13
    """Decides which."""
    exclude: Files = ()
    """Titles that are not to come out, such as those recombined before; repeatable."""
    reading: Reading = Reading()


def data_check(settings: DataCheck) -> Report:
    """What is wrong with the files; with `fix`, cleaned copies are written beside them."""
    for name in settings.files:
        _refuse_list(name)
    sources = settings.reading.sources(settings.files)
    names = numbered(Path(source.path).stem for source in sources)
    splits = dict(zip(names, sources, strict=True))
    counter = _token_counter(settings.tokenizer) if settings.tokenizer else None
    labels = settings.reading.labels
    report = check(splits, labels, counter, class_map=settings.reading.meanings())
    if settings.fix:
        for result in fix(splits, labels, report, force=settings.force).values():
            logger.info("%s", result)
    remarks = [
        remark
        for split, summary in report.splits.items()
        if protection(split) == 0
        for remark in of_sizes(Path(summary.path).name, summary.learned)
    ]
    return replace(report, remarks=say(remarks))


def data_folds(settings: DataFolds) -> list[Path]:
    """Write the folds; returns their folders."""
    claim_folder(settings.output, [settings.file], FOLDS, settings.force)
    titles = read(settings.reading.source(settings.file), settings.reading.labels)
    return write_folds(titles, settings.folds, settings.output)


def data_recombine(settings: DataRecombine) -> int:
    """Write the titles as JSON lines; returns how many there are."""
    inputs = [settings.file, *settings.exclude]
    claim_file(settings.output, inputs, RECOMBINED, settings.force)
    source = settings.reading.source(settings.file)
    excluded = read_all_titles(settings.reading, settings.exclude)
    return write_recombined(source, settings.each, settings.output, settings.seed, excluded)


def _refuse_list(name: str) -> None:
    """Refuse what lies beside files of titles and is none, as `*.txt` may name it.

    Raises:
        UsageError: says what it is.
    """
    kinds = {"class.txt": "a list of classes", ".dropped.csv": "a list of dropped rows"}
    for end, kind in kinds.items():
        if Path(name).name.endswith(end):
            raise UsageError(f"{name} is {kind}, not a file of titles; leave it out")


def _token_counter(folder: Path) -> Callable[[list[str]], list[int]]:
    path = folder / FILE
    if not path.is_file():
        raise UsageError(f"{path} does not exist; pass a folder with a fast tokenizer")
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    return lambda titles: [
        len(each.ids) for each in tokenizer.encode_batch_fast([clean(title) for title in titles])
    ]
