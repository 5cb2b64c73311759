"""Files that come with a package, answered by name: the page's, and those of the documentation."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources.abc import Traversable

from fastapi import Response

from service.problems import NotFound


def packaged_file(
    folder: Traversable, name: str, media_types: Mapping[str, str], headers: Mapping[str, str]
) -> Response:
    """One of a folder's files.

    Args:
        media_types: of the files that may be asked for, by name.
    Raises:
        NotFound: it is none of these.
    """
    if name not in media_types:
        raise NotFound("unknown_file", f"there is no file {name[:50]} here")
    content = folder.joinpath(name).read_bytes()
    return Response(content, media_type=media_types[name], headers=dict(headers))
