"""Reading by batches needs memory for some pages, however many rows there are."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from .support import rows
from .support.server import Server

# In a process of its own, whose memory nobody else has used before.
READ = """
import asyncio, json, sys
import pyarrow
import ticklake
import ticklake._frames.arrow

# So that few rows are many batches.
ticklake._frames.arrow.BATCH_ROWS = 500

url, key, kind, tickers, first, last = json.loads(sys.argv[1])
byte_count = 0

def take(batch):
    global byte_count
    byte_count += batch.nbytes

async def read_async():
    async with ticklake.AsyncClient(url, key, cache=False) as client:
        async for batch in client.ticks(tickers, (first, last)).batches():
            take(batch)

def read_sync():
    with ticklake.Client(url, key, cache=False) as client:
        for batch in client.ticks(tickers, (first, last)).batches():
            take(batch)

asyncio.run(read_async()) if kind == "async" else read_sync()
print(json.dumps([byte_count, pyarrow.default_memory_pool().max_memory()]))
"""


def read(server: Server, key: str, kind: str, tickers: list[str], last: int) -> tuple[int, int]:
    """Bytes of the rows, and the most bytes of Arrow that were in memory at the same time."""
    given = [server.url, key, kind, tickers, str(rows.DAYS[0]), str(rows.DAYS[last])]
    command = [sys.executable, "-c", READ, json.dumps(given)]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    byte_count, memory = json.loads(said)
    return byte_count, memory


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_rows_by_batches_take_no_more_memory_the_more_there_are(server: Server, key: str, kind: str) -> None:
    few_bytes, few_memory = read(server, key, kind, rows.TICKERS[:1], 1)
    many_bytes, many_memory = read(server, key, kind, rows.TICKERS, 2)
    assert many_bytes > 4 * few_bytes
    assert many_memory < 2 * few_memory
    assert many_memory < many_bytes / 4
