"""A large language model behind an endpoint, asked for the classes of titles.

With no example or a few for each class, chosen for how much they are like the titles asked about.
Answers are kept on this machine, so a run that ends early goes on without paying twice. A title
whose answer means nothing gets the same probability for all classes.
Source of examples by similarity: Liu et al. 2022, "What Makes Good In-Context Examples for GPT-3?".
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from tqdm import tqdm

from baselines.llm_answers import Answers
from baselines.llm_endpoint import Endpoint, EndpointSettings
from baselines.llm_prompt import Prompt
from models.bounds import PositiveInt, Whole
from models.cache import default_cache
from models.classifier import Scores
from models.errors import CorruptArtifact, UsageError
from models.labels import Labels
from models.route import Route
from models.title_text import clean
from scoring.score_table import title_key
from titles import LabelledTitles

_CONFIG, _EXAMPLES = "llm.json", "examples.jsonl"


@dataclass(frozen=True)
class LlmSettings(EndpointSettings):
    """How a model is asked."""

    batch_size: PositiveInt = 20
    """Titles of a request."""
    shots: Annotated[int, Whole(least=0, most=20)] = 1
    """Examples of each class in a request, those most like its titles; 0 = none."""
    examples: PositiveInt = 200
    """Training titles of each class that these are chosen from."""


class LlmClassifier(Route):
    """Asks an endpoint, as often as its answers are not known.

    Args:
        examples: titles and the numbers of their classes; none where there are no shots.
        folder: of the answers; `~/.cache/biaoti/llm` by default.
    """

    route: ClassVar[str] = "llm"
    is_remote: ClassVar[bool] = True
    probe_tolerance: float = 1.0

    def __init__(
        self,
        settings: LlmSettings,
        labels: Labels,
        examples: Sequence[tuple[str, int]] = (),
        folder: Path | None = None,
    ):
        self.settings, self.labels, self.max_length = settings, labels, None
        self.prompt = Prompt(labels)
        self.examples = [(title, int(label)) for title, label in examples]
        self._bigrams = [_bigrams(title) for title, _ in self.examples]
        self._folder = folder
        self._endpoint: Endpoint | None = None

    @cached_property
    def answers(self) -> Answers:
        """Those that are known of what is asked in just this way."""
        settings = self.settings
        way = [settings.url, settings.model, settings.shots, settings.without_probabilities]
        asked = self.prompt.messages([], self.examples)
        digest = sha256(json.dumps([*way, asked], ensure_ascii=False).encode()).hexdigest()[:16]
        return Answers((self._folder or default_cache() / "llm") / f"{digest}.sqlite")

    @property
    def price_per_million(self) -> float | None:
        """Of titles, by what was paid so far; None where the prices are not known."""
        usage = self.answers.usage()
        cost = self.settings.cost(usage)
        return 1e6 * cost / usage.titles if usage.titles and cost else None

    def score(self, titles: Sequence[str]) -> Scores:
        """Probabilities; what is not known yet is asked for, and kept as it comes.

        Raises:
            EndpointError: the endpoint does not answer, or the budget is spent. What was answered
                is kept.
        """
        keys = [title_key(clean(title)) for title in titles]
        known = self.answers.known(keys)
        missing = {key: title for key, title in zip(keys, titles, strict=True) if key not in known}
        if missing:
            self._ask_all(list(missing.items()))
            known = self.answers.known(keys)
        same = np.full(len(self.labels), 1 / len(self.labels), np.float32)
        rows = [same if (row := known[key]) is None else row for key in keys]
        return Scores.of_whole_titles(np.array(rows, np.float32).reshape(-1, len(self.labels)))

    def close(self) -> None:
        if self._endpoint:
            self._endpoint.close()
            self._endpoint = None

    def save_files(self, folder: Path) -> None:
        content = json.dumps(asdict(self.settings), indent=2, ensure_ascii=False)
        (folder / _CONFIG).write_text(content + "\n", encoding="utf-8")
        lines = (
            json.dumps({"title": title, "label": label}, ensure_ascii=False) + "\n"
            for title, label in self.examples
        )
        (folder / _EXAMPLES).write_text("".join(lines), encoding="utf-8")

    @classmethod
    def load_files(cls, folder: Path, labels: Labels, max_length: int | None) -> Self:
        try:
            content = json.loads((folder / _CONFIG).read_text(encoding="utf-8"))
            settings = LlmSettings(**content)
            lines = (folder / _EXAMPLES).read_text(encoding="utf-8").splitlines()
            examples = [_example(json.loads(line), labels) for line in lines]
        except (OSError, ValueError, TypeError, KeyError, UsageError) as error:
            raise CorruptArtifact(f"{folder}: not a model of this route: {error}") from error
        return cls(settings, labels, examples)

    def _ask_all(self, asked: list[tuple[bytes, str]]) -> None:
        """Ask for all titles, some at once; after the first that fails, no more are begun."""
        if self._endpoint is None:
            self._endpoint = Endpoint(self.settings, self.answers.usage())
        size = self.settings.batch_size
        batches = [asked[i : i + size] for i in range(0, len(asked), size)]
        pool = ThreadPoolExecutor(self.settings.concurrency, "endpoint")
        with tqdm(total=len(asked), unit="title", mininterval=1 if os.isatty(2) else 30) as bar:
            try:
                waiting: dict[Future[None], int] = {
                    pool.submit(self._ask, self._endpoint, batch): len(batch) for batch in batches
                }
                for done in as_completed(waiting):
                    done.result()
                    bar.update(waiting[done])
            except KeyboardInterrupt:
                self.close()
                raise
            finally:
                pool.shutdown(cancel_futures=True)

    def _ask(self, endpoint: Endpoint, asked: Sequence[tuple[bytes, str]]) -> None:
        """Ask for some titles at once, then for those alone that it does not answer."""
        titles = [title for _, title in asked]
        messages = self.prompt.messages(titles, list(self._like(titles)))
        answer = endpoint.ask(messages, self.prompt.schema(len(titles)), len(titles))
        rows = self.prompt.read(answer.text, answer.tokens, len(titles))
        kept = [i for i, row in enumerate(rows) if row is not None or len(asked) == 1]
        self.answers.keep([asked[i][0] for i in kept], [rows[i] for i in kept], answer.usage)
        for i, one in enumerate(asked):
            if i not in kept:
                self._ask(endpoint, [one])

    def _like(self, titles: Sequence[str]) -> Iterator[tuple[str, int]]:
        """Of each class, the examples that are most like one of the titles, but none of them."""
        if not self.settings.shots:
            return
        theirs = [_bigrams(title) for title in titles]
        cleaned = {clean(title) for title in titles}
        likeness = [
            0.0 if clean(title) in cleaned else max(_cosine(bigrams, each) for each in theirs)
            for (title, _), bigrams in zip(self.examples, self._bigrams, strict=True)
        ]
        best = np.argsort(-np.array(likeness), kind="stable")
        for label in range(len(self.labels)):
            of_class = [i for i in best if self.examples[i][1] == label]
            allowed = [i for i in of_class if clean(self.examples[i][0]) not in cleaned]
            yield from (self.examples[i] for i in allowed[: self.settings.shots])


def choose_examples(
    titles: LabelledTitles, settings: LlmSettings, seed: int
) -> list[tuple[str, int]]:
    """Training titles of one class each, as many of each class, drawn at random."""
    if not settings.shots:
        return []
    alone = titles.of_one_class()
    drawn = np.random.default_rng(seed).permutation(len(alone))
    chosen: list[tuple[str, int]] = []
    for label in range(len(alone.labels)):
        its = [int(i) for i in drawn if alone.label_ids[i] == label][: settings.examples]
        chosen += [(alone.titles[i], label) for i in its]
    return chosen


def _example(line: dict[str, Any], labels: Labels) -> tuple[str, int]:
    title, label = line["title"], line["label"]
    if not isinstance(title, str) or type(label) is not int or not 0 <= label < len(labels):
        raise ValueError(f"not an example: {str(line)[:100]}")
    return title, label


def _bigrams(title: str) -> frozenset[str]:
    text = clean(title)
    return frozenset(text[i : i + 2] for i in range(max(1, len(text) - 1)))


def _cosine(a: frozenset[str], b: frozenset[str]) -> float:
    """Of two sets, as vectors of zeros and ones."""
    return float(len(a & b) / np.sqrt(len(a) * len(b)))
