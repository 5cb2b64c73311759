"""`biaoti pretrain`."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from models.outputs import claim_folder, run_folder
from recipes.lessons import read_all_titles
from recipes.settings import FileArguments, Files, Reading, Saving
from recipes.telling import logger
from recipes.train_encoder import Encoder
from titles import distinct_titles
from training.masked_language import ENCODER, PretrainSettings, continue_pretraining
from training.pretrained import BUILT_IN, resolve
from training.run_folder import RUN


@dataclass(frozen=True, kw_only=True)
class Pretrain(Saving):
    """Go on with an encoder's masked-language pretraining on unlabelled titles.

    The result is a folder to pass to 'biaoti train encoder --encoder'. Titles that occur in the
    files given with --exclude, such as dev and test, are left out.
    """

    files: FileArguments
    """Titles; labels are not read."""
    exclude: Files = ()
    """Titles to leave out; repeatable."""
    encoder: Encoder = BUILT_IN
    """As for 'biaoti train encoder'."""
    reading: Reading = Reading()
    training: PretrainSettings = PretrainSettings()


def pretrain(settings: Pretrain) -> Path:
    """Train on, and write the encoder; returns its folder."""
    inputs = [*settings.files, *settings.exclude, settings.encoder]
    claim_folder(settings.output, inputs, ENCODER, settings.force)
    claim_folder(run_folder(settings.output), inputs, RUN, settings.force)
    held_out = read_all_titles(settings.reading, settings.exclude)
    titles = read_all_titles(settings.reading, settings.files)
    kept = distinct_titles(titles, held_out)
    folder = resolve(settings.encoder, chain(titles, held_out))
    run = run_folder(settings.output)
    history = continue_pretraining(folder, kept, settings.output, settings.training, run)
    logger.info("%s: %s titles in %.0f s", settings.output, f"{len(kept):,}", history.seconds)
    return settings.output
