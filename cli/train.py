"""`biaoti train` and `biaoti pretrain`: from files of titles to a model's folder."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli.options import VerbParser, add_source, add_verb, add_verbs, build_settings, source_of
from models.errors import DataError

if TYPE_CHECKING:
    from models.artifact import Route
    from models.labels import Labels
    from training.corpus import Source

_EXAMPLE = """
biaoti train {route} --train samples/train.txt --dev samples/dev.txt --output artifacts/{route}
"""


def add_to(verbs: Any) -> None:
    train = verbs.add_parser("train", help="train a model and save it as a folder")
    routes = add_verbs(train)
    _add_route(routes, "forest", forest, "baselines.tfidf_forest:ForestSettings")
    _add_route(routes, "linear", linear, "baselines.linear:LinearSettings")
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
        lambda train, labels, _: train_forest(*train, labels, build_settings(options), _say),
    )


def linear(options: argparse.Namespace) -> None:
    """Train a linear model on TF-IDF features: the strongest cheap baseline."""
    from baselines.linear import train_linear

    _train_baseline(
        options,
        lambda train, labels, _: train_linear(*train, labels, build_settings(options), _say),
    )


def fasttext(options: argparse.Namespace) -> None:
    """Train fastText on characters or words; it can search its own settings on dev."""
    from baselines.fasttext import train_fasttext

    _train_baseline(
        options,
        lambda train, labels, dev: train_fasttext(
            *train, labels, *dev, build_settings(options), _say
        ),
    )


def encoder(options: argparse.Namespace) -> None:
    """Fine-tune a pretrained Transformer encoder.

    The weights that score best on the dev file are kept, and the confidence is calibrated on it.
    A run can be interrupted: the same command goes on from its last checkpoint. The defaults are
    those of a full-size BERT; for the built-in e5-small-zh, settings found on dev stand in for
    those that are not given: 4 epochs, rate 1e-4, label smoothing 0.1, average decay 0.999.
    """
    from training.corpus import load, read
    from training.finetune import RECOMMENDED, Examples, fine_tune
    from training.pretrained import resolve

    labels, sources = _training_data(options)
    train, dev = (Examples(*load(source, labels)) for source in sources)
    extra = (row.title for name in options.corpus for row in read(source_of(options, name), None))
    settings = build_settings(options, **RECOMMENDED.get(options.encoder, {}))
    folder = resolve(options.encoder, chain(train.titles, dev.titles, extra))
    result = fine_tune(folder, train, dev, labels, settings, _run_folder(options))
    best = {f"dev_{name}": value for name, value in result.history.best.items() if name != "step"}
    best["training_seconds"] = round(result.history.seconds, 1)
    _save(options, result.classifier, result.temperature, sources[0], asdict(settings), best)
    print(f"curves: {_run_folder(options) / 'curves.png'}", file=sys.stderr)


def pretrain(options: argparse.Namespace) -> None:
    """Go on with an encoder's masked-language pretraining on unlabelled titles.

    The result is a folder to pass to 'biaoti train encoder --encoder'. Titles that occur in the
    files given with --exclude, such as dev and test, are left out.
    """
    from training.corpus import leaked, read
    from training.masked_language import continue_pretraining
    from training.pretrained import resolve

    def read_titles(names: list[str]) -> list[str]:
        return [row.title for name in names for row in read(source_of(options, name), None)]

    held_out, titles = read_titles(options.exclude), sorted(set(read_titles(options.files)))
    kept = [t for t, out in zip(titles, leaked(titles, held_out), strict=True) if not out]
    folder = resolve(options.encoder, chain(titles, held_out))
    settings = build_settings(options)
    history = continue_pretraining(folder, kept, options.output, settings, _run_folder(options))
    print(f"{options.output}: {len(kept):,} titles in {history.seconds:,.0f} s", file=sys.stderr)


def _add_route(routes: Any, name: str, run: Any, settings: str) -> VerbParser:
    parser = add_verb(routes, name, run, _EXAMPLE.format(route=name))
    parser.settings = settings
    parser.add_argument("--train", required=True, metavar="FILE", help="titles to learn from")
    parser.add_argument(
        "--dev", required=True, metavar="FILE", help="titles to choose and calibrate on"
    )
    parser.add_argument(
        "--output", required=True, type=Path, metavar="FOLDER", help="where the model is saved"
    )
    add_source(parser)
    parser.add_argument(
        "--dev-split", metavar="NAME", help="split of a dataset that --dev means, where not --split"
    )
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
    parser.add_argument(
        "--exclude",
        action="append",
        default=[],
        metavar="FILE",
        help="titles to leave out; repeatable",
    )
    parser.add_argument(
        "--encoder", default="e5-small-zh", metavar="NAME", help="as for 'biaoti train encoder'"
    )
    parser.add_argument(
        "--output", required=True, type=Path, metavar="FOLDER", help="where the encoder is saved"
    )
    add_source(parser)


def _train_baseline(
    options: argparse.Namespace, fit: Callable[[tuple, Labels, tuple], Route]
) -> None:
    from training.calibrate import fit_temperature
    from training.corpus import load

    labels, (train, dev) = _training_data(options)
    dev_titles, dev_ids = load(dev, labels)
    model = fit(load(train, labels), labels, (dev_titles, dev_ids))
    probabilities = model.predict_proba(dev_titles)
    accuracy = float((probabilities.argmax(axis=1) == dev_ids).mean())
    temperature = fit_temperature(probabilities, dev_ids)
    searched = getattr(model, "hyperparameters", dict)()  # what fastText's autotune found
    settings = asdict(build_settings(options)) | searched
    _save(options, model, temperature, train, settings, {"dev_accuracy": accuracy})


def _training_data(options: argparse.Namespace) -> tuple[Labels, tuple[Source, Source]]:
    """The labels and the two splits, in which no row may be unusable."""
    from training.corpus import check, find_labels

    train = source_of(options, options.train)
    dev = source_of(options, options.dev, options.dev_split)
    labels = find_labels(train, options.labels)
    report = check({"train": train, "dev": dev}, labels)
    if report.errors:
        print(report.to_text(), file=sys.stderr)
        raise DataError(
            f"{len(report.errors)} rows cannot be used; run 'biaoti data check --fix "
            f"{options.train} {options.dev}' and train on the cleaned copies"
        )
    return labels, (train, dev)


def _say(stage: str) -> None:
    print(stage, file=sys.stderr)


def _run_folder(options: argparse.Namespace) -> Path:
    return options.output.with_name(options.output.name + ".run")


def _save(
    options: argparse.Namespace,
    model: Route,
    temperature: float,
    train: Source,
    settings: dict[str, Any],
    metrics: dict[str, float],
) -> None:
    from models.artifact import Provenance, save
    from training.corpus import fingerprint

    if hasattr(options, "encoder"):
        settings = {"encoder": options.encoder, **settings}
    provenance = Provenance(fingerprint(train), settings, metrics)
    manifest = save(model, options.output, temperature=temperature, provenance=provenance)
    shown = "  ".join(f"{name} {value:.4f}" for name, value in metrics.items())
    print(f"{options.output}: {manifest.route} {manifest.version}  {shown}", file=sys.stderr)
