"""`import biaoti`: what a Python user calls, without waiting for what is not called."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import biaoti
from cli.verbs import VERBS

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("name", biaoti.__all__)
def test_every_name_is_there_and_documented(name: str):
    assert inspect.getdoc(getattr(biaoti, name))


@pytest.mark.parametrize("name", [name for name in VERBS if not name.startswith("transformer")])
def test_every_verb_can_be_called_with_its_settings(name: str):
    settings, function = VERBS[name].load()
    if name not in ("classify", "serve"):  # `classify` takes titles; the service is no function
        assert getattr(biaoti, settings.__name__) is settings
        assert getattr(biaoti, function.__name__) is function


def test_what_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'biaoti' has no attribute 'clasify'"):
        biaoti.clasify  # noqa: B018


def test_importing_and_classifying_takes_no_torch():
    code = (
        "import sys, biaoti\n"
        "with biaoti.load() as model:\n"
        "    (answer,) = biaoti.classify(model, ['国足客场一球小胜 小组赛取得开门红'])\n"
        "heavy = {'torch', 'transformers', 'datasets', 'sklearn'} & set(sys.modules)\n"
        "print(answer.best.label, sorted(heavy))"
    )

    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)

    assert done.stdout == "sports []\n", done.stderr
