"""What docs/transformer.md points to is there, and says what it says."""

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
GUIDE = ROOT / "docs" / "transformer.md"


def test_every_answer_names_a_test_that_is_there():
    tests = {
        path.name: path.read_text(encoding="utf-8") for path in Path(__file__).parent.rglob("*.py")
    }
    found, file = [], ""
    for named, test in re.findall(r"`(test_\w+\.py|…)::(test_\w+)`", GUIDE.read_text("utf-8")):
        file = file if named == "…" else named
        found.append((file, test))

    assert len(found) > 40
    assert [each for each in found if f"def {each[1]}(" not in tests.get(each[0], "")] == []


def test_every_picture_and_file_is_there():
    text = GUIDE.read_text("utf-8")
    pictures = re.findall(r"\]\((figures/[^)]+)\)", text)
    files = re.findall(r"`((?:seq2seq/|study/)\w+\.py)`", text)

    assert len(pictures) >= 10
    assert [name for name in pictures if not (GUIDE.parent / name).is_file()] == []
    folder = ROOT / "models" / "transformer"
    assert [name for name in files if not (folder / name).is_file()] == []


def test_the_translation_table_is_that_of_the_results_file():
    results = json.loads((ROOT / "benchmarks/results/translation.json").read_text("utf-8"))
    text = GUIDE.read_text("utf-8")

    for model, label in (("ours", "ours"), ("nn.Transformer", "around `nn.Transformer`")):
        bleu = results[model]["bleu"]
        cells = [
            f"{bleu[name]['bleu']:.1f} ± {bleu[name]['plus_minus']:.1f}" if name in bleu else ""
            for name in ("greedy", "beam", "top_k", "top_p")
        ]
        row = f"| {label} | {' | '.join(cells)} | {results[model]['dev_loss']:.3f} |"
        assert re.sub(" +", " ", row) in text
