"""What goes over the wire: the request, the answers, and an example of each."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonDict

REQUEST_EXAMPLE: JsonDict = {
    "titles": ["三大股指午后拉升 券商板块涨逾3%", "主场绝杀！卫冕冠军豪取九连胜"],
    "top_k": 2,
    "calibrated": True,
}
_FINANCE: JsonDict = {"label": "finance", "display_name": "财经", "score": 0.0604}
_STOCKS: JsonDict = {"label": "stocks", "display_name": "股票", "score": 0.9381}
_MODEL: JsonDict = {"name": "e5-small-zh", "version": "3f9a1c27b0de"}
RESPONSE_EXAMPLE: JsonDict = {
    "model": _MODEL,
    "results": [
        {
            "index": 0,
            **_STOCKS,
            "top_k": [_STOCKS, _FINANCE],
            "truncated": False,
            "readable": True,
            "unknown": False,
        }
    ],
}


class ClassifyRequest(BaseModel):
    """Titles to classify. Limits that a server sets are checked in `service/api/limits.py`."""

    # unknown fields are let in and refused by the reader: forbidding them here would build one
    # error for each of them
    model_config = ConfigDict(
        strict=True,
        extra="allow",
        json_schema_extra={"additionalProperties": False, "examples": [REQUEST_EXAMPLE]},
    )

    titles: list[Any] = Field(
        description="News titles, as strings. What is no string gets an error in its place, as a "
        "title does that is blank or too long.",
        json_schema_extra={"minItems": 1},
    )
    top_k: int | None = Field(
        default=None,
        description="Classes to list for each title, at least 1; "
        "more than the model has gives all it has. The server's default where it is left out.",
        json_schema_extra={"minimum": 1},
    )
    calibrated: bool = Field(
        default=True,
        description="Whether scores are confidences; false gives them before temperature scaling.",
    )
    model: str | None = Field(
        default=None, description="Name of the model to ask; the default one where it is left out."
    )
    strict: bool = Field(
        default=False,
        description="Whether a title that cannot be classified (blank, too long, no string) fails "
        "the whole request; else it gets an error in its place, and the others are answered.",
    )


class PredictParameters(BaseModel):
    """What Hugging Face's clients may ask for besides."""

    model_config = ConfigDict(strict=True)

    top_k: int | None = Field(default=None, description="Classes to list, 5 where it is left out.")
    function_to_apply: Literal["softmax"] | None = None


class PredictRequest(BaseModel):
    """Texts as Hugging Face's clients send them: each a title of its own."""

    model_config = ConfigDict(
        strict=True, json_schema_extra={"examples": [{"inputs": "三大股指午后拉升"}]}
    )

    inputs: str | list[Any] = Field(
        json_schema_extra={
            "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]
        }
    )
    parameters: PredictParameters = PredictParameters()


class ScoredLabel(BaseModel):
    """A class and its probability, as Hugging Face's clients read them."""

    label: str
    score: float = Field(description="From 0 to 1.")


class RankedClass(BaseModel):
    """A class and its probability."""

    label: str
    display_name: str
    score: float = Field(description="From 0 to 1.")


class TitleResult(BaseModel):
    """The most probable class of one title, and those after it."""

    index: int = Field(description="The title's place in the request, from 0.")
    label: str
    display_name: str
    score: float = Field(description="From 0 to 1.")
    top_k: list[RankedClass] = Field(description="From the most to the least probable.")
    truncated: bool = Field(description="Whether the title's end was cut off before scoring.")
    readable: bool = Field(
        description="Whether the title says something in Chinese or Latin script; if not, every "
        "class has the same score."
    )
    unknown: bool = Field(
        description="Whether the class is too unsure to be an answer: the score is below the "
        "model's threshold, or the title cannot be read."
    )


class TitleError(BaseModel):
    """Why one title was not classified."""

    code: str = Field(description="A name that programs can branch on.")
    detail: str = Field(description="What was expected, what came and the remedy.")


class RefusedTitle(BaseModel):
    """A title that could not be classified, in its place among the results."""

    index: int = Field(description="The title's place in the request, from 0.")
    error: TitleError


class ModelIdentity(BaseModel):
    """Which model answered."""

    name: str
    version: str


class ClassifyResponse(BaseModel):
    """One result a title, in the order of the request."""

    model_config = ConfigDict(json_schema_extra={"examples": [RESPONSE_EXAMPLE]})

    model: ModelIdentity
    results: list[TitleResult | RefusedTitle]


class LabelDescription(BaseModel):
    """A class's name and what people call it."""

    label: str
    display_name: str


class Remark(BaseModel):
    """What a person had better know about a model."""

    code: str = Field(description="A name that programs can branch on.")
    message: str


class ModelDescription(ModelIdentity):
    """What a model's manifest says of it."""

    called: list[str] = Field(description="What requests may call it; the default is the first.")
    route: str
    labels: list[LabelDescription]
    max_length: int | None = Field(description="Tokens of a title that are read; null: all.")
    temperature: float = Field(description="Divides the log-probabilities before they are shown.")
    threshold: float = Field(
        description="Score below which the answer is unknown; 0: every title is answered."
    )
    metrics: dict[str, Any] = Field(description="Scores recorded when the model was saved.")
    remarks: list[Remark] = Field(
        description="What was remarkable about its data and its scores when it was made."
    )
    size_bytes: int


class ReloadResponse(ModelIdentity):
    """The model that answers now."""


class ModelsResponse(BaseModel):
    """The models that this service answers with."""

    models: list[ModelDescription]
    keeps_feedback: bool = Field(description="Whether `/v1/feedback` takes corrections.")


class ActivityMinute(BaseModel):
    """What was answered in about a minute."""

    began: float = Field(description="Seconds since 1970.")
    requests: int = Field(description="For classes of titles.")
    p50_ms: float | None = Field(
        description="Milliseconds within which half of them were answered, to the next bound of "
        "the histogram; null where there was none, or it took longer than all bounds."
    )
    p99_ms: float | None = Field(description="The same of 99 in 100.")
    answers: dict[str, int] = Field(description="Titles by class, or `unknown`.")


class ActivityResponse(BaseModel):
    """The last hour, the oldest minute first."""

    minutes: list[ActivityMinute]


class HealthResponse(BaseModel):
    """The process is alive; whether its model works is asked at `/ready`."""

    status: Literal["ok"] = "ok"


class ReadyResponse(BaseModel):
    """The threads that score titles work, however much waits for them."""

    status: Literal["ready"] = "ready"
    waiting_titles: int = Field(description="Titles that no thread has begun with.")


class ProblemDocument(BaseModel):
    """The one shape of every error (RFC 9457, `application/problem+json`)."""

    type: Literal["about:blank"] = "about:blank"
    title: str = Field(description="The phrase of the HTTP status.")
    status: int = Field(description="The HTTP status.")
    detail: str = Field(description="What was expected, what came and the remedy.")
    code: str = Field(description="A name that programs can branch on.")
    where: str | None = Field(default=None, description="The part of the request that is meant.")
