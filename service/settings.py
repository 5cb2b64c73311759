"""What can be set about the service. Environment variables are read here and nowhere else."""

from __future__ import annotations

import difflib
import logging
import os
import re
import tomllib
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, ValidationError, field_validator, model_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from models.artifact import DEFAULT_FOLDER
from models.errors import UsageError

PREFIX = "BIAOTI_"
FILE_VARIABLE = f"{PREFIX}SETTINGS"
_LINK = re.compile(rf"{PREFIX}(SERVICE_|PORT(_|$))")
"""What Kubernetes and Docker inject where a service is called biaoti: BIAOTI_PORT=tcp://…, too."""

logger = logging.getLogger("biaoti")


class Settings(BaseSettings):
    """The service's settings: an argument wins over the environment, that over a file in TOML."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_ignore_empty=True, frozen=True, extra="forbid"
    )

    host: str = "127.0.0.1"
    """Address to listen on; 0.0.0.0 opens the service to the network."""
    port: int = Field(8000, ge=0, le=65535)
    """TCP port to listen on; 0 takes a free one."""
    model: Path = DEFAULT_FOLDER
    """Folder of the model that is served."""
    models: dict[str, Path] = {}
    """Several models by name, as JSON: {"stable": "/models/a", "candidate": "/models/b"}; the first
    answers where a request names none. Wins over `model`."""
    shadow: str | None = None
    """Name of a model that scores some of the default model's titles, too; its answers are only
    counted."""
    shadow_share: float = Field(0.1, ge=0, le=1)
    """Share of the requests that the shadow model scores, if there is one."""
    reload_every_s: float = Field(2, gt=0, le=86400)
    """Seconds between looks at the models' folders; a model that has changed is loaded anew."""
    workers: int = Field(1, ge=1, le=256)
    """Processes that answer; with more than one, another watches them and replaces the dead."""
    threads: int | None = Field(None, ge=1)
    """Threads that score in each worker; without a number, its share of those that affinity and the
    container's quota allow."""
    max_titles: int = Field(128, ge=1)
    """Titles that one request may bring."""
    max_title_chars: int = Field(2000, ge=1)
    """Characters (Unicode code points) that one title may have."""
    max_body_bytes: int = Field(2 * 1024 * 1024, ge=1)
    """Bytes that the body of one request may have."""
    max_file_bytes: int = Field(32 * 1024 * 1024, ge=1)
    """Bytes that a file of titles may have; it is kept among temporary files while it is read."""
    default_top_k: int = Field(3, ge=1)
    """Classes listed for each title when a request does not say."""
    max_top_k: int = Field(100, ge=1)
    """Classes that a request may ask for; more than the model has gives all it has."""
    max_waiting_titles: int = Field(4096, ge=1)
    """Titles that may wait for their scores; a request that finds no room is answered 429."""
    deadline_s: float = Field(10, gt=0, le=86400)
    """Seconds that a request waits for its scores before it is answered 504."""
    hung_after_s: float = Field(2, gt=0, le=86400)
    """Seconds after which a batch is given up; its thread is replaced."""
    probe_after_s: float = Field(10, gt=0, le=86400)
    """Seconds without a request after which the model is asked a title, to see that it answers."""
    max_connections: int = Field(1024, ge=1)
    """Connections that may be open at once, or as many as the limit on descriptors leaves room for;
    for one more, the one that has been silent for longest is closed."""
    request_timeout_s: float = Field(20, gt=0, le=86400)
    """Seconds in which a request has to arrive whole, or 16 KiB for each second of them."""
    shutdown_timeout_s: int = Field(10, ge=1)
    """Seconds that accepted requests are given to finish after SIGTERM."""
    feedback: str | None = None
    """Database of the corrections that people send, such as sqlite:////data/feedback.db or a URL of
    PostgreSQL; needs the extra 'feedback'."""
    keys_file: Path | None = None
    """File of the API keys that may ask, as 'biaoti keys add' writes it."""
    without_keys: bool = False
    """Whether an address that other machines can reach may be served without keys."""
    log_format: Literal["text", "json"] = "text"
    """How the log is written: lines for people, or a JSON object a line."""
    log_titles: bool = False
    """Whether titles are logged, for finding out what a client sends."""
    root_path: str = Field("", pattern="^(/[^/?#]+)*$")
    """Prefix under which a proxy offers the service, such as /biaoti."""
    cors_origins: tuple[str, ...] = ()
    """Origins whose pages may ask the service, as JSON: ["https://cms.example"]."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Where settings come from, the strongest first; called by pydantic."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)

    @field_validator("port", mode="before")
    @classmethod
    def _links_are_no_ports(cls, value: Any) -> Any:
        if isinstance(value, str) and "://" in value:
            default = cls.model_fields["port"].default
            logger.warning("%sPORT=%s is a service link and no port: %d", PREFIX, value, default)
            return default
        return value

    @model_validator(mode="after")
    def _default_within_maximum(self) -> Self:
        if self.default_top_k > self.max_top_k:
            raise ValueError(f"default_top_k {self.default_top_k} exceeds max_top_k")
        return self

    @model_validator(mode="after")
    def _shadow_is_a_model(self) -> Self:
        if self.shadow is not None and self.shadow not in self.models:
            raise ValueError(f"shadow is '{self.shadow}', which is none of models")
        return self

    @property
    def folders(self) -> dict[str, Path]:
        """Of the models by name, the default first."""
        return self.models or {"default": self.model}


def read_settings(file: Path | None = None, **arguments: Any) -> Settings:
    """Settings from the arguments that are not None, the environment, a file and the defaults.

    A variable that looks like a setting and is none is warned of.

    Args:
        file: in TOML, with the names of the settings; by default BIAOTI_SETTINGS names it.
    Raises:
        UsageError: names the variable that cannot be used, its value and why.
    """
    for warning in _unknown_variables():
        logger.warning(warning)
    named = file or os.environ.get(FILE_VARIABLE)
    try:
        chosen = _with_file(Path(named)) if named else Settings
        return chosen(**{name: value for name, value in arguments.items() if value is not None})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden":
            raise UsageError(f"{named}: there is no setting {name}{_meant(name)}") from error
        where = f"setting {name} ({PREFIX}{name.upper()}) cannot be {first['input']!r}: "
        raise UsageError((where if name else "settings: ") + first["msg"]) from error


def _with_file(file: Path) -> type[Settings]:
    """Raises: UsageError: it cannot be read, or is not TOML."""
    try:
        tomllib.loads(file.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"{file}: the settings cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise UsageError(f"{file}: not TOML in UTF-8: {error}") from error
    config = SettingsConfigDict(toml_file=file)
    return type("SettingsWithFile", (Settings,), {"model_config": config})


def _unknown_variables() -> list[str]:
    known = [name.upper() for name in Settings.model_fields]
    known.append(FILE_VARIABLE.removeprefix(PREFIX))
    found = []
    for name in sorted(os.environ):
        word = name.upper().removeprefix(PREFIX)
        if name.upper().startswith(PREFIX) and word not in known and not _LINK.match(name):
            found.append(
                f"{name} is no setting of the service and is ignored{_meant(word, PREFIX)}"
            )
    return found


def _meant(name: str, prefix: str = "") -> str:
    known = [name if not prefix else name.upper() for name in Settings.model_fields]
    near = difflib.get_close_matches(name, known, n=1)
    return f"; is {prefix}{near[0]} meant?" if near else ""
