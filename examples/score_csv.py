"""Add class and confidence to a CSV of titles; every other column stays as it is.

python examples/score_csv.py titles.csv scored.csv
"""

import csv
import sys
from pathlib import Path

import biaoti

source, target = map(Path, sys.argv[1:])
with source.open(encoding="utf-8-sig", newline="") as file:
    rows = list(csv.DictReader(file))
with biaoti.load() as model, target.open("w", encoding="utf-8-sig", newline="") as file:
    writer = csv.DictWriter(file, [*rows[0], "class", "confidence"])
    writer.writeheader()
    answers = biaoti.classify(model, (row["title"] for row in rows))
    for row, answer in zip(rows, answers, strict=True):
        score = round(answer.best.score, 4)
        writer.writerow(row | {"class": answer.best.label, "confidence": score})
