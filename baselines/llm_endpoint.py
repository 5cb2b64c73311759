"""One question to an endpoint that speaks OpenAI's protocol: tried again where that helps, within a
budget that is refused before it is exceeded.
"""

from __future__ import annotations

import email.utils
import os
import random
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, NamedTuple

from baselines.llm_answers import Usage
from baselines.llm_prompt import Token
from models.bounds import Bounds, Checked, NonNegativeFloat, NonNegativeInt, PositiveInt
from models.errors import EndpointError, MissingDependency, UsageError

try:
    import openai
except ImportError as error:
    raise MissingDependency("openai", "llm") from error

DEEPSEEK = "https://api.deepseek.com"
KEYS = {DEEPSEEK: "DEEPSEEK_API_KEY", "https://api.openai.com/v1": "OPENAI_API_KEY"}
"""Which variable holds the key for an endpoint; it is sent to no other."""
URL, KEY = "BIAOTI_LLM_URL", "BIAOTI_LLM_KEY"
"""Variables that name any other endpoint, and hold its key."""
_PASSING = (408, 409, 429)
"""Refusals that pass; others below 500 stay."""
_ATTEMPTS = 8
FIRST_WAIT_S = 1.0
_LONGEST_WAIT_S = 300.0
"""An endpoint that asks for more is left, to be asked by a later run."""
_TOKENS_AROUND = 20
"""That a protocol adds to a message, at most."""
_TOKENS_A_TITLE = 12
"""That an answer takes for a title, at most."""
_ALTERNATIVES = 20


@dataclass(frozen=True)
class EndpointSettings(Checked):
    """Which model is asked, and what that may cost."""

    url: str = DEEPSEEK
    """The endpoint, as far as /chat/completions. Of another than DeepSeek's or OpenAI's,
    BIAOTI_LLM_URL must say the same, and BIAOTI_LLM_KEY may hold a key."""
    model: str = "deepseek-chat"
    """What the endpoint calls the model."""
    timeout_s: Annotated[float, Bounds(above=0, most=3600)] = 60.0
    """Longest that an answer may take, before it is asked for again."""
    concurrency: PositiveInt = 4
    """Requests that are on their way at once."""
    without_probabilities: bool = False
    """Do not ask how probable each class was, as where an endpoint counts that as much work."""
    price_in: NonNegativeFloat = 0.0
    """Price of a million tokens that are sent, in any currency."""
    price_out: NonNegativeFloat = 0.0
    """Price of a million tokens that are answered."""
    most_tokens: NonNegativeInt = 0
    """Tokens that all requests of this model may cost, those of earlier runs included; 0 = any."""
    most_money: NonNegativeFloat = 0.0
    """Money, in the currency of the prices, that they may cost; 0 = any."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.most_money and not self.price_in + self.price_out:
            raise UsageError("a budget in money needs prices: pass --price-in and --price-out")

    def cost(self, usage: Usage) -> float:
        """Of requests, in the currency of the prices."""
        sent, answered = usage.prompt_tokens, usage.completion_tokens
        return (sent * self.price_in + answered * self.price_out) / 1e6


class Answer(NamedTuple):
    """What a request brought: a text, its tokens where they are told, and what it cost."""

    text: str
    tokens: Sequence[Token]
    usage: Usage


class Endpoint:
    """Asks a model; used by several threads.

    Args:
        spent: by earlier runs.
    Raises:
        UsageError: there is no key for it, or nobody has said that it is to be trusted.
    """

    def __init__(self, settings: EndpointSettings, spent: Usage):
        self.settings = settings
        self._client = openai.OpenAI(
            base_url=settings.url,
            api_key=_key_for(settings.url),
            timeout=settings.timeout_s,
            max_retries=0,  # the client gives up on a Retry-After of more than a minute
        )
        self._spent, self._reserved = spent, Usage()
        self._settled, self._is_closed = threading.Condition(), threading.Event()
        self._takes_schema = True
        self._tells_probabilities = not settings.without_probabilities

    def ask(self, messages: list[dict[str, str]], schema: dict[str, Any], titles: int) -> Answer:
        """An answer, which may be nonsense; tried again while the endpoint fails or is busy.

        Raises:
            EndpointError: the budget would be exceeded, or the endpoint refuses or goes on failing.
        """
        most = _most_usage(messages, titles)
        attempt, started = 0, time.monotonic()
        while True:
            self._reserve(most)
            usage, wishes = Usage(), self._wishes(schema)
            try:
                found = self._client.chat.completions.create(
                    model=self.settings.model,
                    messages=messages,  # type: ignore[arg-type]
                    temperature=0,
                    max_tokens=most.completion_tokens,
                    **wishes,
                )
                usage = most  # of an answer that does not tell what it cost
                answer = _read(found, most)
                seconds = time.monotonic() - started
                usage = replace(answer.usage, titles=titles, seconds=seconds)
                return answer._replace(usage=usage)
            except openai.BadRequestError as error:
                if not self._gives_up_a_wish(wishes):
                    raise _refused(self.settings, error) from error
            except openai.APIStatusError as error:
                if error.status_code not in _PASSING and error.status_code < 500:
                    raise _refused(self.settings, error) from error
                attempt += 1
                self._wait(attempt, _retry_after_s(error.response.headers), error)
            except (openai.APIError, ValueError) as error:  # no answer, or one that is none
                attempt += 1
                self._wait(attempt, None, error)
            finally:
                self._settle(most, usage)

    def close(self) -> None:
        """End the connections; whoever waits for another attempt gives up."""
        self._is_closed.set()
        self._client.close()

    def _reserve(self, most: Usage) -> None:
        """Set aside what a request may cost; others that are on their way may leave some of theirs.

        Raises:
            EndpointError: there is not so much left.
        """
        with self._settled:
            while self._is_too_much(self._spent + self._reserved + most):
                if not self._reserved.requests:
                    spent, money = self._spent, self.settings.cost(self._spent)
                    raise EndpointError(
                        f"the budget would be exceeded: {spent.tokens:,} tokens are spent, "
                        f"{money:.4f} in money; all answers are kept: raise --most-tokens or "
                        "--most-money, and the same command goes on"
                    )
                self._settled.wait()
            self._reserved += most

    def _is_too_much(self, usage: Usage) -> bool:
        tokens, money = self.settings.most_tokens, self.settings.most_money
        too_many, too_dear = usage.tokens > tokens > 0, self.settings.cost(usage) > money > 0
        return too_many or too_dear

    def _settle(self, most: Usage, usage: Usage) -> None:
        with self._settled:
            self._reserved -= most
            self._spent += usage
            self._settled.notify_all()

    def _wishes(self, schema: dict[str, Any]) -> dict[str, Any]:
        """What not every endpoint can do."""
        form: dict[str, Any] = {"type": "json_object"}
        if self._takes_schema:
            named = {"name": "classes", "strict": True, "schema": schema}
            form = {"type": "json_schema", "json_schema": named}
        wishes: dict[str, Any] = {"response_format": form}
        if self._tells_probabilities:
            wishes |= {"logprobs": True, "top_logprobs": _ALTERNATIVES}
        return wishes

    def _gives_up_a_wish(self, wishes: dict[str, Any]) -> bool:
        """Whether a request that was refused may be let in with less."""
        with self._settled:
            if wishes["response_format"]["type"] == "json_schema":
                self._takes_schema = False
                return True
            if "logprobs" in wishes:
                self._tells_probabilities = False
                return True
        return False

    def _wait(self, attempt: int, asked_s: float | None, error: Exception) -> None:
        """Before the next attempt, as long as the endpoint asks; without a wish, ever longer."""
        wait_s = asked_s
        if wait_s is None:
            wait_s = random.uniform(0.5, 1.0) * FIRST_WAIT_S * 2 ** (attempt - 1)
        if attempt == _ATTEMPTS or wait_s > _LONGEST_WAIT_S:
            later = f"in {wait_s:,.0f} s" if wait_s > _LONGEST_WAIT_S else "later"
            raise EndpointError(
                f"{self.settings.url} does not answer ({error}); all answers are kept: run the "
                f"same command {later}, and it goes on"
            ) from error
        if self._is_closed.wait(wait_s):
            raise EndpointError("interrupted; all answers are kept") from error


def _key_for(url: str) -> str:
    """The key for an endpoint; a model's folder alone shall not make us send one anywhere."""
    variable = KEYS.get(url, KEY)
    if url not in KEYS and os.environ.get(URL) != url:
        raise UsageError(f"the model asks {url}; set {URL}={url} if titles may be sent there")
    key = os.environ.get(variable, "")
    if not key and url in KEYS:
        raise UsageError(f"{url} wants a key; put it into the variable {variable}")
    return key or "none"


def _refused(settings: EndpointSettings, error: openai.APIStatusError) -> EndpointError:
    return EndpointError(
        f"{settings.url} refuses ({error.status_code}: {error.message[:200]}); look whether the "
        f"key, the model '{settings.model}' and the account are right"
    )


def _retry_after_s(headers: Any) -> float | None:
    """Seconds, told as such or as a date."""
    told = headers.get("retry-after", "")
    if told.replace(".", "", 1).isdigit():
        return float(told)
    parsed = email.utils.parsedate_tz(told)
    return max(0.0, email.utils.mktime_tz(parsed) - time.time()) if parsed else None


def _most_usage(messages: list[dict[str, str]], titles: int) -> Usage:
    """What a request costs at most: a character of Chinese is a token, or less."""
    sent = sum(len(message["content"]) + _TOKENS_AROUND for message in messages)
    return Usage(1, sent, _TOKENS_AROUND + _TOKENS_A_TITLE * titles)


def _read(found: Any, most: Usage) -> Answer:
    """What an answer says.

    Raises:
        ValueError: it is not what the protocol has.
    """
    try:
        choice, told = found.choices[0], found.usage
        pieces = choice.logprobs.content if choice.logprobs else None
        tokens = [
            Token(each.token, {other.token: other.logprob for other in each.top_logprobs})
            for each in pieces or ()
        ]
        usage = Usage(1, told.prompt_tokens, told.completion_tokens) if told else most
        return Answer(str(choice.message.content or ""), tokens, usage)
    except (AttributeError, TypeError, IndexError) as error:
        raise ValueError(f"the answer is no chat completion: {str(found)[:100]!r}") from error
