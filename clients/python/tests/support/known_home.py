"""A home of known rows that an account may read: built once for all that a run of the tests copies it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from . import rows
from .server import Home

# By `scripts/test-python.ts`, whose runs of pytest share it.
SHARED = os.environ.get("TICKLAKE_KNOWN_HOME")


def known_home(folder: Path) -> tuple[Home, str]:
    """A home of one's own in the folder, and the key of its account 1."""
    built = Path(SHARED or folder) / "built"
    if not (built / "tests.key").exists():
        # Under another name until it is whole: no later run of the tests takes a part of it.
        part = built.with_name("building")
        shutil.rmtree(part, ignore_errors=True)
        _build(part)
        part.rename(built)
    home = Home(built / "home", is_new=False).copy(folder / "home")
    return home, (built / "tests.key").read_text().strip()


def _build(folder: Path) -> None:
    folder.mkdir(parents=True)
    made = Home(folder / "home")
    definitions = made.folder / "datasets"
    definitions.mkdir(exist_ok=True)
    (definitions / "kinds.yaml").write_text(rows.KINDS_DEFINITION)
    made.run("ingest", "eq_taq", str(rows.write_csv(rows.all_ticks(), folder / "ticks.csv")))
    made.run("ingest", "kinds", str(rows.write_csv(rows.kinds(), folder / "kinds.csv")))
    made.run("ingest", "eq_sec_master", str(rows.write_master(folder / "master.csv")))
    for dataset in ("eq_taq", "kinds", "eq_sec_master"):
        made.run("rule", "add", "--identity", "1", "--dataset", dataset)
    made.key(1, "tests")
