"""`biaoti train` and `biaoti pretrain`: from files of titles to a model's folder."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli.options import VerbParser, add_source, add_verb, add_verbs, build_settings, source_of
from cli.training import (
    add_data,
    add_exclude,
    dev_metrics,
    distinct_titles,
    read_titles,
    run_folder,
    save_model,
    say,
    training_data,
)

if TYPE_CHECKING:
    from models.artifact import Route
    from titles import LabelledTitles

_EXAMPLE = """
biaoti train {route} --train samples/train.txt --dev samples/dev.txt --output artifacts/{route}
"""


def add_to(verbs: Any) -> None:
    train = verbs.add_parser("train", help="train a model and save it as a folder")
    routes = add_verbs(train)
    _add_route(routes, "forest", forest, "baselines.tfidf_forest:ForestSettings")
    _add_route(routes, "linear", linear, "baselines.linear:LinearSettings")
    _add_route(routes, "nearest", nearest, "baselines.nearest:NearestSettings")
    _add_route(routes, "width", width, "baselines.width:WidthSettings")
    _add_route(routes, "fasttext", fasttext, "baselines.fasttext:FastTextSettings")
    _add_encoder_options(
        _add_route(routes, "encoder", encoder, "training.finetune:FineTuneSettings")
    )
    _add_pretrain(verbs)


def forest(options: argparse.Namespace) -> None:
    """Train a random forest on TF-IDF features of words and character n-grams."""
    from baselines.tfidf_forest import train_forest

    _train_baseline(
        options,
        lambda train, _: train_forest(train, build_settings(options), say),
    )


def linear(options: argparse.Namespace) -> None:
    """Train a linear model on TF-IDF features: the strongest cheap baseline."""
    from baselines.linear import train_linear

    _train_baseline(
        options,
        lambda train, _: train_linear(train, build_settings(options), say),
    )


def nearest(options: argparse.Namespace) -> None:
    """Keep the training titles, to ask those most like a title for their labels.

    Weak alone, strong beside others: see 'biaoti ensemble'.
    """
    from baselines.nearest import train_nearest

    _train_baseline(
        options,
        lambda train, _: train_nearest(train, build_settings(options), say),
    )


def width(options: argparse.Namespace) -> None:
    """Learn what the characters and columns of a title say of its class, whatever it says.

    Weak alone; beside models that read but cannot count it is a voice: see 'biaoti ensemble'.
    """
    from baselines.width import train_width

    _train_baseline(
        options,
        lambda train, _: train_width(train, build_settings(options), say),
    )


def fasttext(options: argparse.Namespace) -> None:
    """Train fastText on characters or words; it can search its own settings on dev."""
    from baselines.fasttext import train_fasttext

    _train_baseline(
        options,
        lambda train, dev: train_fasttext(train, dev, build_settings(options), say),
    )


def encoder(options: argparse.Namespace) -> None:
    """Fine-tune a pretrained Transformer encoder.

    The weights that score best on the dev file are kept, and the confidence is calibrated on it.
    A run can be interrupted: the same command goes on from its last checkpoint. The defaults are
    those of a full-size BERT; for the built-in e5-small-zh, settings found on dev stand in for
    those that are not given: 5 epochs, rate 1e-4, consistency 2, average decay 0.999.
    """
    from titles import read_titles
    from training.finetune import RECOMMENDED, fine_tune
    from training.pretrained import resolve

    train, dev = training_data(options)
    extra = chain.from_iterable(read_titles(source_of(options, name)) for name in options.corpus)
    settings = build_settings(options, **RECOMMENDED.get(options.encoder, {}))
    folder = resolve(options.encoder, chain(train.titles, dev.titles, extra))
    result = fine_tune(folder, train, dev, settings, run_folder(options))
    used = {"encoder": options.encoder, **asdict(settings)}
    trained_on = train.fingerprint.to_dict()
    metrics = dev_metrics(result.history)
    save_model(options, result.classifier, result.temperature, trained_on, used, metrics)
    result.run_folder.clean()
    say(f"curves: {run_folder(options) / 'curves.png'}")


def pretrain(options: argparse.Namespace) -> None:
    """Go on with an encoder's masked-language pretraining on unlabelled titles.

    The result is a folder to pass to 'biaoti train encoder --encoder'. Titles that occur in the
    files given with --exclude, such as dev and test, are left out.
    """
    from training.masked_language import continue_pretraining
    from training.pretrained import resolve

    held_out, titles = read_titles(options, options.exclude), read_titles(options, options.files)
    kept = distinct_titles(titles, held_out)
    folder = resolve(options.encoder, chain(titles, held_out))
    settings = build_settings(options)
    history = continue_pretraining(folder, kept, options.output, settings, run_folder(options))
    say(f"{options.output}: {len(kept):,} titles in {history.seconds:,.0f} s")


def _add_route(routes: Any, name: str, run: Any, settings: str) -> VerbParser:
    parser = add_verb(routes, name, run, _EXAMPLE.format(route=name))
    parser.settings = settings
    add_data(parser)
    return parser


def _add_encoder_options(parser: VerbParser) -> None:
    parser.add_argument(
        "--encoder",
        default="e5-small-zh",
        metavar="NAME",
        help="a Hugging Face folder, the built-in e5-small-zh, or organisation/model on the hub",
    )
    parser.add_argument(
        "--corpus",
        action="append",
        default=[],
        metavar="FILE",
        help="more titles whose pieces the built-in encoder's vocabulary must hold; repeatable",
    )


def _add_pretrain(verbs: Any) -> None:
    parser = add_verb(
        verbs,
        "pretrain",
        pretrain,
        """
        biaoti pretrain samples/train.txt --exclude samples/dev.txt --output artifacts/adapted
        biaoti train encoder --encoder artifacts/adapted --train samples/train.txt \\
            --dev samples/dev.txt --output artifacts/encoder
        """,
    )
    parser.settings = "training.masked_language:PretrainSettings"
    parser.add_argument("files", nargs="+", metavar="FILE", help="titles; labels are not read")
    add_exclude(parser)
    parser.add_argument(
        "--encoder", default="e5-small-zh", metavar="NAME", help="as for 'biaoti train encoder'"
    )
    parser.add_argument(
        "--output", required=True, type=Path, metavar="FOLDER", help="where the encoder is saved"
    )
    add_source(parser)


def _train_baseline(
    options: argparse.Namespace, fit: Callable[[LabelledTitles, LabelledTitles], Route]
) -> None:
    from scoring.metrics import accuracy
    from scoring.temperature import fit_temperature

    train, dev = training_data(options)
    started = time.perf_counter()
    model = fit(train, dev)
    seconds = round(time.perf_counter() - started, 1)
    probabilities = model.predict_proba(dev.titles)
    temperature = fit_temperature(probabilities, dev.label_ids)
    searched = getattr(model, "hyperparameters", dict)()  # what fastText's autotune found
    settings = asdict(build_settings(options)) | searched
    metrics = {"dev_accuracy": accuracy(probabilities, dev.label_ids), "training_seconds": seconds}
    save_model(options, model, temperature, train.fingerprint.to_dict(), settings, metrics)
