"""Train on a taxonomy of your own: CSV files with the columns title and label.

python examples/train_taxonomy.py train.csv dev.csv my-model
"""

import sys
from pathlib import Path

import biaoti

train, dev, output = sys.argv[1:]
settings = biaoti.TrainLinear(train=train, dev=dev, output=Path(output))
manifest = biaoti.train_linear(settings)
print(f"right in {manifest.provenance.metrics['dev_accuracy']:.1%} of the titles of {dev}")

with biaoti.load(output) as model:
    (answer,) = biaoti.classify(model, ["地铁四号线今日开通"], top_k=2)
    for ranked in answer.ranking:
        print(f"{ranked.label} {ranked.score:.2f}")
