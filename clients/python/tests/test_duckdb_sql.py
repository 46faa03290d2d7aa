"""The recipe in DuckDB's own SQL, with the extension from the registry of Python packages."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import duckdb
import pyarrow.compute as pc
import pytest

from .support import rows
from .support.pages import BLOCKS
from .support.server import Server

INSTALL = "INSTALL httpfs; LOAD httpfs;"


def extension() -> Path | None:
    """There is one for each release of DuckDB, some weeks after it."""
    found = importlib.util.find_spec("duckdb_extension_httpfs")
    if found is None or found.origin is None:
        return None
    folder = Path(found.origin).parent / "extensions" / f"v{duckdb.__version__}"
    return next(folder.glob("httpfs.duckdb_extension"), None)


def statements(server: Server, key: str, loads: Path) -> list[str]:
    """Those of the recipe, with the extension from a file, and another server, key and ticker."""
    [text] = [block.text for block in BLOCKS if block.text.startswith(INSTALL)]
    changes = {
        INSTALL: f"LOAD '{loads}';",
        "http://127.0.0.1:8080": server.url,
        "'KEY'": f"'{key}'",
        "AVQX": "AAA",
    }
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    return [each for each in text.split(";\n") if each.strip()]


@pytest.mark.skipif(extension() is None, reason="no extension for this DuckDB")
def test_the_sql_of_the_recipe_reads_a_page_and_a_manifest(wide_server: Server, key: str) -> None:
    loads = extension()
    assert loads is not None
    with duckdb.connect() as connection:
        for statement in statements(wide_server, key, loads):
            done = connection.execute(statement)
            if "FROM read_parquet('http" in statement:
                page = done.fetchone()
        days = connection.execute("SELECT count(*), min(TradeDate), max(TradeDate) FROM ticks").fetchone()
    prices = rows.ticks(rows.DAYS[-1], "AAA")["Price"]
    assert page == (len(prices), pytest.approx(pc.mean(prices).as_py()))
    assert days == (len(rows.all_ticks()), rows.DAYS[0], rows.DAYS[-1])
