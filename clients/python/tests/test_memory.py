"""Reading by batches needs memory for some pages, however many rows there are."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from .support import rows
from .support.server import Home, Server

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
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    byte_count, memory = json.loads(said)
    return byte_count, memory


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_rows_by_batches_are_never_all_in_memory(server: Server, key: str, kind: str) -> None:
    byte_count, memory = read(server, key, kind, rows.TICKERS, 2)
    # About a fifth in fact; how far reading is ahead of the caller differs from run to run.
    assert memory < byte_count / 2


# All of the process: bodies on their way, files, and what Python keeps.
RESIDENT = """
import asyncio, json, re, sys
from pathlib import Path
import ticklake

url, key, kind, first, last = json.loads(sys.argv[1])
byte_count = 0

async def read_async():
    global byte_count
    async with ticklake.AsyncClient(url, key, cache=False) as client:
        async for batch in client.dataset("eq_taq").read(dates=(first, last)).batches():
            byte_count += batch.nbytes

def read_sync():
    global byte_count
    with ticklake.Client(url, key, cache=False) as client:
        for batch in client.dataset("eq_taq").read(dates=(first, last)).batches():
            byte_count += batch.nbytes

asyncio.run(read_async()) if kind == "async" else read_sync()
# Not ru_maxrss, which begins with what the parent had.
peak = re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())
print(json.dumps([byte_count, int(peak[1]) * 1024]))
"""

DAYS = [f"2026-11-{day:02}" for day in (9, 10, 11, 12, 13, 16, 17, 18)]
DAY_ROWS = 150_000


def write_day(folder: Path, day: str) -> Path:
    """Ticks of a day of ten tickers, a millisecond apart."""
    numbers = range(DAY_ROWS)
    begin = datetime.fromisoformat(f"{day}T09:30:00-05:00")
    milliseconds = pa.array(
        [int(begin.timestamp() * 1000) + n for n in numbers], pa.timestamp("ms", rows.ZONE)
    )
    columns = [
        pa.array([begin.date()] * DAY_ROWS),
        milliseconds.cast(pa.timestamp("us", rows.ZONE)),
        pa.array(["TRADE"] * DAY_ROWS),
        pa.array([f"T{n % 10}" for n in numbers]),
        pa.array([n % 10 for n in numbers], pa.int64()),
        pa.array([n * 7919 % 104_729 / 8 for n in numbers]),
        pa.array([n * 31 % 997 for n in numbers], pa.int64()),
        pa.array(["NYSE"] * DAY_ROWS),
        pa.array([1] * DAY_ROWS, pa.int64()),
    ]
    path = folder / f"{day}.parquet"
    pq.write_table(pa.table(columns, names=rows.TICK_SCHEMA.names), path)
    return path


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, str]]:
    """A server of large days, and a key."""
    folder = tmp_path_factory.mktemp("days")
    home = Home(folder / "home")
    home.run("ingest", "eq_taq", *[str(write_day(folder, day)) for day in DAYS])
    key = home.account("days", ["eq_taq"])
    server = Server(home)
    yield server, key
    server.stop()


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
@pytest.mark.parametrize("kind", ["sync", "async"])
def test_a_process_that_reads_by_batches_does_not_grow_with_the_days(
    days: tuple[Server, str], kind: str
) -> None:
    server, key = days

    def read_days(count: int) -> tuple[int, int]:
        given = [server.url, key, kind, DAYS[0], DAYS[count - 1]]
        command = [sys.executable, "-c", RESIDENT, json.dumps(given)]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        byte_count, resident = json.loads(said)
        return byte_count, resident

    few_bytes, few_resident = read_days(2)
    many_bytes, many_resident = read_days(8)
    assert many_bytes > 3.9 * few_bytes
    assert many_resident - few_resident < (many_bytes - few_bytes) / 2
