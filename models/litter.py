"""What programs leave in any folder that they look at, and which is no part of what it holds."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import PurePosixPath

BROWSED = frozenset({".DS_Store", "Thumbs.db", "desktop.ini", ".ipynb_checkpoints"})
"""What file browsers and notebooks leave wherever they look; nobody misses it."""

_EDITED = re.compile(
    r"""\._.+            # macOS: attributes of a file
      | \..+\.sw[a-p]    # vim
      | .+~ | \#.+\#     # emacs
      | \.\#.+           # emacs: a link
      | \.nfs[0-9a-f]+ | \.fuse_hidden[0-9a-f]+   # removed while in use
    """,
    re.VERBOSE,
)
_LOADABLE = re.compile(
    r""".*\.(py|pyc|pyd|so|dll|dylib|sh|js|bin|pt|pth|ckpt|pkl|pickle|joblib|skops|safetensors
             |onnx|data|gguf|h5|msgpack|npy|npz|zip)""",
    re.VERBOSE | re.IGNORECASE,
)
"""Endings of code and weights: such a file is never litter, wherever it lies."""


def is_litter(path: str, listed: Collection[str]) -> bool:
    """Whether a file in a folder may be looked past.

    Args:
        path: relative to the folder.
        listed: the paths of the files that belong to it. Kubernetes' volumes keep them a second
            time, under a folder such as `..2026_01_31_12_00_00.123`, where links of their names
            lead by way of `..data`.
    """
    parts = PurePosixPath(path).parts
    if parts[0].startswith("..") and "/".join(parts[1:]) in listed:
        return True
    if _LOADABLE.fullmatch(parts[-1]):
        return False
    return not BROWSED.isdisjoint(parts) or _EDITED.fullmatch(parts[-1]) is not None
