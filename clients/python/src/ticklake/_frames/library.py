"""The libraries that frames are made with, none of which has to be installed."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Literal

from ..errors import MissingLibraryError

# The library that joins the rows of an answer.
Library = Literal["arrow", "polars"]


def require(name: str) -> None:
    """Raises `MissingLibraryError` before anything is read for a frame that cannot be made."""
    if find_spec(name) is None:
        raise MissingLibraryError(f"This needs {name}, which is not installed: pip install {name}", name=name)
