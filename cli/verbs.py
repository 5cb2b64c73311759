"""Every verb of `biaoti`: the recipe that it calls, how its result is shown, and examples.

A verb is an entry here; its options and help come from the recipe's settings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from cli import show


@dataclass(frozen=True)
class Verb:
    """One verb.

    Attributes:
        name: the words after `biaoti`.
        recipe: `module:Settings:function`, imported when the verb is chosen.
        summary: the first line of the settings' docstring, to be told without importing it.
        examples: what the help shows, one a line.
        show: prints the recipe's result; gives the exit code where that is not 0.
        takes_json: whether the result can also be had as JSON, or in a file.
        says: whether what the recipe logs is printed to standard error.
    """

    name: str
    recipe: str
    summary: str
    examples: str
    show: show.Show = show.nothing
    takes_json: bool = False
    says: bool = True

    def load(self) -> tuple[type, Callable[[Any], Any]]:
        """The class of the settings, and the function that takes them."""
        module, settings, function = self.recipe.split(":")
        found = import_module(module)
        return getattr(found, settings), getattr(found, function)


def find(words: Sequence[str]) -> tuple[Verb | None, list[str]]:
    """The verb that the words begin with, and the words after it."""
    for length in (2, 1):
        name = " ".join(words[:length])
        if name in VERBS and len(words) >= length:
            return VERBS[name], list(words[length:])
    return None, list(words)


def _training(route: str, settings: str, summary: str) -> Verb:
    example = (
        f"biaoti train {route} --train samples/train.txt --dev samples/dev.txt "
        f"--output artifacts/{route}"
    )
    recipe = f"recipes.train_{route}:{settings}:train_{route}"
    return Verb(f"train {route}", recipe, summary, example)


_ALL = (
    Verb(
        "data check",
        "recipes.data:DataCheck:data_check",
        "Report what is wrong with files of titles; with --fix, write cleaned copies.",
        """
        biaoti data check samples/train.txt samples/dev.txt samples/test.txt
        biaoti data check --fix train.txt dev.txt test.txt
        biaoti data check --json --output findings.json train.csv
        """,
        show.check,
        takes_json=True,
    ),
    Verb(
        "data folds",
        "recipes.data:DataFolds:data_folds",
        "Cut a labelled file into folds: what to train on, and what to ask the trained model.",
        """
        biaoti data folds samples/train.txt --folds 2 --output artifacts/folds
        biaoti train linear --train artifacts/folds/fold-1/train.jsonl --dev samples/dev.txt \\
            --output artifacts/linear-1
        biaoti evaluate artifacts/linear-1 artifacts/folds/fold-1/held_out.jsonl \\
            --predictions artifacts/scores-1.csv
        """,
        show.paths,
    ),
    Verb(
        "data recombine",
        "recipes.data:DataRecombine:data_recombine",
        "Make new titles, without labels, of parts of a file's, for a teacher to judge.",
        """
        biaoti data recombine artifacts/folds/fold-1/held_out.jsonl --each 2 \\
            --output artifacts/recombined-1.jsonl
        """,
        show.count,
    ),
    _training(
        "forest",
        "TrainForest",
        "Train a random forest on TF-IDF features of words and character n-grams.",
    ),
    _training(
        "linear",
        "TrainLinear",
        "Train a linear model on TF-IDF features: the strongest cheap baseline.",
    ),
    _training(
        "nearest",
        "TrainNearest",
        "Keep the training titles, to ask those most like a title for their labels.",
    ),
    _training(
        "width",
        "TrainWidth",
        "Learn what the characters and columns of a title say of its class, whatever it says.",
    ),
    _training(
        "fasttext",
        "TrainFastText",
        "Train fastText on characters or words; it can search its own settings on dev.",
    ),
    _training(
        "llm",
        "TrainLlm",
        "Make a route of a large language model behind an endpoint: nothing is trained.",
    ),
    _training("encoder", "TrainEncoder", "Fine-tune a pretrained Transformer encoder."),
    Verb(
        "pretrain",
        "recipes.pretrain:Pretrain:pretrain",
        "Go on with an encoder's masked-language pretraining on unlabelled titles.",
        """
        biaoti pretrain samples/train.txt --exclude samples/dev.txt --output artifacts/adapted
        biaoti train encoder --encoder artifacts/adapted --train samples/train.txt \\
            --dev samples/dev.txt --output artifacts/encoder
        """,
    ),
    Verb(
        "ensemble",
        "recipes.joining:Ensemble:ensemble",
        "Join several models into one, which pools their calibrated scores.",
        """
        biaoti ensemble artifacts/encoder artifacts/linear artifacts/fasttext \\
            --dev samples/dev.txt --output artifacts/ensemble
        biaoti evaluate artifacts/ensemble samples/test.txt
        """,
    ),
    Verb(
        "average",
        "recipes.joining:Average:average",
        "Make one student of several: each of its weights is the mean of theirs.",
        """
        biaoti average artifacts/student-1 artifacts/student-2 --dev samples/dev.txt \\
            --output artifacts/student
        """,
    ),
    Verb(
        "crossfit",
        "recipes.crossfit:Crossfit:crossfit",
        "Score every training title by models that have not seen it.",
        """
        biaoti crossfit --train samples/train.txt --dev samples/dev.txt --folds 2 \\
            --member artifacts/encoder --output artifacts/crossfit
        biaoti distill --teacher artifacts/ensemble --train samples/train.txt \\
            --dev samples/dev.txt --scores artifacts/crossfit \\
            --unlabelled artifacts/crossfit/recombined.jsonl --output artifacts/student
        """,
        show.paths,
    ),
    Verb(
        "distill",
        "recipes.distill:Distill:distill",
        "Train a small student on labels and on what a teacher says.",
        """
        biaoti distill --teacher artifacts/encoder --train samples/train.txt \\
            --dev samples/dev.txt --output artifacts/student
        biaoti distill --teacher artifacts/ensemble --start artifacts/encoder --layers 0,4,8,11 \\
            --vocabulary 8000 --train train.txt --dev dev.txt --unlabelled more.txt \\
            --exclude test.txt --output artifacts/student
        """,
    ),
    Verb(
        "prune",
        "recipes.shrink:Prune:prune",
        "Take heads, neurons or layers out of an encoder or a student, and train what is left.",
        """
        biaoti prune artifacts/encoder --layers 6 --heads 6 --d-ff 512 \\
            --train samples/train.txt --dev samples/dev.txt --output artifacts/pruned
        biaoti prune artifacts/encoder --magnitude 0.5 --train samples/train.txt \\
            --dev samples/dev.txt --output artifacts/sparse
        """,
    ),
    Verb(
        "factorize",
        "recipes.shrink:Factorize:factorize",
        "Cut the linear layers of an encoder or a student in two of low rank, and train them.",
        """
        biaoti factorize artifacts/encoder --energy 0.9 --train samples/train.txt \\
            --dev samples/dev.txt --output artifacts/factorized
        biaoti factorize artifacts/pruned --budget 0.5 --train samples/train.txt \\
            --dev samples/dev.txt --output artifacts/pruned-factorized
        """,
    ),
    Verb(
        "quantize",
        "recipes.convert:Quantize:quantize",
        "Turn an encoder or a student into int8, and refuse to write it if it lost too much.",
        """
        biaoti quantize artifacts/student --method onnx --dev samples/dev.txt \\
            --calibration samples/train.txt --output artifacts/student-int8
        biaoti quantize artifacts/student --method torch --dev samples/dev.txt \\
            --output artifacts/student-int8-torch
        """,
    ),
    Verb(
        "export",
        "recipes.convert:Export:export",
        "Turn an encoder or a student into an ONNX model in fp32 that serves without torch.",
        "biaoti export artifacts/student --output artifacts/student-onnx",
    ),
    Verb(
        "verify",
        "recipes.verify:Verify:verify",
        "Walk what a model was made from, and say what holds.",
        "biaoti verify artifacts/student --among samples",
        show.lineage,
        takes_json=True,
    ),
    Verb(
        "evaluate",
        "evaluation.evaluate_file:Evaluate:evaluate_file",
        "Score a file of titles with a model.",
        """
        biaoti evaluate artifacts/encoder samples/test.txt --train samples/train.txt
        biaoti evaluate artifacts/encoder titles.csv --unlabelled --predictions scored.csv
        biaoti evaluate artifacts/encoder samples/test.txt --json --output metrics.json
        """,
        show.evaluation,
        takes_json=True,
    ),
    Verb(
        "compare",
        "evaluation.compare_models:Compare:compare_models",
        "Compare models on labelled titles and write a report: which to deploy, and why.",
        """
        biaoti compare artifacts/linear artifacts/encoder --data samples/test.txt
        biaoti compare artifacts/linear teacher=artifacts/encoder pipeline:artifacts/encoder \\
            --data samples/test.txt --train samples/train.txt --output docs/report
        biaoti compare artifacts/linear artifacts/forest --data weibo=weibo.csv \\
            --data toutiao=toutiao.csv --class-map classes.tsv --no-speed
        """,
        show.report,
    ),
    Verb(
        "classify",
        "recipes.classify:Classify:classify_titles",
        "Classify titles, in their order; '-' reads them from standard input, one a line.",
        """
        biaoti classify "国足客场一球小胜 小组赛取得开门红" "A股三大指数集体收涨 半导体领涨"
        cut -f1 samples/test.txt | biaoti classify --json --top-k 3 -
        """,
        show.predictions,
        takes_json=True,
    ),
    Verb(
        "score",
        "recipes.score:Score:score",
        "Copy a file of titles, with the class of each as further columns.",
        """
        biaoti score titles.csv --output scored.csv
        biaoti score archive.parquet --title-column headline --output scored.parquet
        biaoti score archive/ --engine ray --output scored/
        """,
        show.scored,
    ),
    Verb(
        "serve",
        "service.run:Serve:serve_as_asked",
        "Serve a model over HTTP until interrupted.",
        """
        biaoti serve --model artifacts/encoder
        curl http://127.0.0.1:8000/v1/classify -H 'Content-Type: application/json' \\
            -d '{"titles": ["国足客场一球小胜 小组赛取得开门红"], "top_k": 3}'
        """,
        says=False,
    ),
    Verb(
        "keys add",
        "service.keys:AddKey:add_key",
        "Make a key for the service, print it once, and keep its hash in a file.",
        """
        biaoti keys add cms --file keys.txt
        biaoti keys add operations --file keys.txt --scope admin
        """,
        show.text,
    ),
    Verb(
        "feedback export",
        "service.feedback.verbs:ExportFeedback:export_feedback",
        "Write what people corrected as titles to learn from, as JSON lines.",
        """
        biaoti feedback export sqlite:///feedback.db --output corrected.jsonl
        """,
        show.count,
    ),
    Verb(
        "feedback report",
        "service.feedback.verbs:ReportFeedback:report_feedback",
        "Tell how often people agreed with the answers: by month and model, and by class.",
        """
        biaoti feedback report sqlite:///feedback.db
        """,
        show.text,
    ),
    Verb(
        "transformer figures",
        "recipes.transformer:TransformerFigures:transformer_figures",
        "Draw position codes, masks, parameter growth and, given an encoder, attention weights.",
        """
        biaoti transformer figures --output figures
        biaoti transformer figures --encoder artifacts/encoder --title 国足客场一球小胜
        """,
        show.paths,
    ),
    Verb(
        "transformer cost",
        "recipes.transformer:TransformerCost:transformer_cost",
        "Print parameters, FLOPs, memory and measured time of a layer against sequence length.",
        """
        biaoti transformer cost --lengths 32 128 512
        biaoti transformer cost --d-model 384 --heads 12 --d-ff 1536 --lengths 20 64
        """,
        show.text,
    ),
)

VERBS = {verb.name: verb for verb in _ALL}
