"""How often random things are tried: few times in every run, all of them at night."""

from __future__ import annotations

import os


def trials(in_every_run: int, at_night: int) -> int:
    """`TICKLAKE_PYTHON_TRIALS=all` asks for those of the night."""
    return at_night if os.environ.get("TICKLAKE_PYTHON_TRIALS") == "all" else in_every_run
