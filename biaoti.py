"""What a Python user calls.

    import biaoti

    with biaoti.load() as model:                      # the model that ships, or a folder of yours
        for answer in biaoti.classify(model, ["国足客场一球小胜"], top_k=3):
            print(answer.best.display_name, answer.best.score)

    settings = biaoti.TrainLinear(train="train.csv", dev="dev.csv", output=Path("my-model"))
    biaoti.train_linear(settings)                     # as `biaoti train linear` does

Every verb of the command line is a function that takes its settings; both are named here. They are
imported when they are first asked for, so `import biaoti` takes neither torch nor time.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOMES = {
    "models.artifact": ["load", "save", "LoadedModel", "Manifest"],
    "models.classifier": ["Prediction", "predict"],
    "models.labels": ["Labels"],
    "titles": ["LabelledTitles", "Source", "read"],
    "recipes.settings": ["Reading"],
    "recipes.data": [
        *("DataCheck", "DataFolds", "DataRecombine"),
        *("data_check", "data_folds", "data_recombine"),
    ],
    "recipes.train_forest": ["TrainForest", "train_forest"],
    "recipes.train_linear": ["TrainLinear", "train_linear"],
    "recipes.train_nearest": ["TrainNearest", "train_nearest"],
    "recipes.train_width": ["TrainWidth", "train_width"],
    "recipes.train_fasttext": ["TrainFastText", "train_fasttext"],
    "recipes.train_llm": ["TrainLlm", "train_llm"],
    "recipes.train_encoder": ["TrainEncoder", "train_encoder"],
    "recipes.pretrain": ["Pretrain", "pretrain"],
    "recipes.joining": ["Average", "Ensemble", "average", "ensemble"],
    "recipes.crossfit": ["Crossfit", "crossfit"],
    "recipes.teaching": ["Teaching"],
    "recipes.distill": ["Distill", "Start", "distill"],
    "recipes.shrink": ["Factorize", "Prune", "factorize", "prune"],
    "recipes.convert": ["Export", "Quantize", "export", "quantize"],
    "recipes.verify": ["Verify", "verify"],
    "recipes.classify": ["classify"],
    "recipes.score": ["Score", "Scored", "score"],
    "evaluation.evaluate_file": ["Evaluate", "evaluate_file"],
    "evaluation.compare_models": ["Compare", "compare_models"],
    "service.keys": ["AddKey", "add_key"],
    "service.feedback.verbs": [
        *("ExportFeedback", "ReportFeedback"),
        *("export_feedback", "report_feedback"),
    ],
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}
__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'biaoti' has no attribute '{name}'")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
