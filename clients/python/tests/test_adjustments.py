"""Rows adjusted on request."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import ticklake

from .conftest import Homes
from .support.server import Home, Server

# So many that their rows are more than a page.
OTHERS = [f"T{number:03}" for number in range(400)]
DAILY = [
    {"TradeDate": f"2020-06-{day}", "Ticker": ticker, "ASID": 33, "ClosePrice": 8, "DailyVolume": 100}
    for day in (15, 16, 17)
    for ticker in ["AAA", *OTHERS]
]
EVENTS = [
    ("2020-06-16", 0.5, "CashDiv", 1),
    ("2020-06-17", 0.25, "Subdiv", 2),
]
DATES = ("2020-06-01", "2020-12-31")
COLUMNS = ["TradeDate", "ClosePrice"]


def write(file: Path, rows: Sequence[dict[str, object]]) -> str:
    with file.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return str(file)


def publish_events(home: Home, folder: Path, events: Sequence[tuple[str, float, str, int]]) -> None:
    names = ["EffectiveDate", "AdjustmentFactor", "AdjustmentReason", "EventId"]
    told = {"SecId": 33, "ASID": 33, "Ticker": "AAA"}
    rows = [{**told, **dict(zip(names, event, strict=True))} for event in events]
    home.run(
        "ingest",
        "eq_adj_factors_basic",
        write(folder / "factors.csv", rows),
        "--replace=dataset",
        "--allow-loss",
        "--again",
    )


@pytest.fixture(scope="module")
def served(homes: Homes, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Home, Server]]:
    folder = tmp_path_factory.mktemp("adjustments")
    home = homes.small.copy(folder / "home")
    home.run("ingest", "eq_daily_ohlc", write(folder / "daily.csv", DAILY))
    publish_events(home, folder, EVENTS)
    for dataset in ("eq_daily_ohlc", "eq_daily_ohlc_adj", "eq_adj_factors_basic"):
        home.run("rule", "add", "--identity", "1", "--dataset", dataset)
    server = Server(home)
    yield home, server
    server.stop()


@pytest.fixture
def changed(served: tuple[Home, Server], tmp_path: Path) -> Iterator[tuple[Home, Server]]:
    """For tests that publish other events."""
    yield served
    publish_events(served[0], tmp_path, EVENTS)


def closes(query: ticklake.Query) -> list[float]:
    return query.to_arrow()["ClosePrice"].to_pylist()


def test_rows_are_adjusted_by_date_and_by_events(
    homes: Homes, served: tuple[Home, Server], tmp_path: Path
) -> None:
    with ticklake.Client(served[1].url, homes.key, cache=tmp_path / "cache") as client:
        for _ in range(2):  # the second time from the cache
            as_of = client.daily("AAA", DATES, adjusted=True, adjusted_as_of=date(2020, 6, 16))
            assert closes(as_of) == [4, 8, 8]
            splits = client.daily("AAA", DATES, adjusted=True, adjustments="splits", columns=COLUMNS)
            assert closes(splits) == [2, 2, 8]
        factors = client.daily(
            "AAA", DATES, adjusted=True, adjustments="splits", adjustment_factors=True, columns=COLUMNS
        )
        assert factors.to_arrow().column_names == [*COLUMNS, "PriceAdjFactor", "VolumeAdjFactor"]
        assert factors.to_polars()["VolumeAdjFactor"].to_list() == [0.25, 0.25, 1]


def test_pages_are_of_one_version_of_the_factors(
    homes: Homes, changed: tuple[Home, Server], tmp_path: Path
) -> None:
    home, server = changed
    with ticklake.Client(server.url, homes.key, cache=tmp_path / "cache") as client:
        first = client.daily("AAA", DATES, adjusted=True, adjustments="splits")
        first.estimate()
        assert first.factors_version is not None
        publish_events(home, tmp_path, EVENTS[:1])
        assert closes(first) == [2, 2, 8]
        now = client.daily("AAA", DATES, adjusted=True, adjustments="splits")
        assert closes(now) == [8, 8, 8]
        assert now.factors_version == first.factors_version + 1
        before = client.daily(
            "AAA", DATES, adjusted=True, adjustments="splits", factors_version=first.factors_version
        )
        assert closes(before) == [2, 2, 8]


def test_a_walk_goes_on_with_its_versions(homes: Homes, served: tuple[Home, Server], tmp_path: Path) -> None:
    _, server = served
    for cache in (False, tmp_path / "cache"):
        with ticklake.Client(server.url, homes.key, cache=cache) as client:
            for _ in range(2):  # the second time from the cache
                query = client.daily(OTHERS, DATES, adjusted=True, adjusted_as_of="2020-06-17")
                assert closes(query) == [1] * 400 + [2] * 400 + [8] * 400
    with ticklake.Client(server.url, homes.key, cache=tmp_path / "cache", offline=True) as client:
        query = client.daily(OTHERS, DATES, adjusted=True, adjusted_as_of="2020-06-17")
        assert closes(query) == [1] * 400 + [2] * 400 + [8] * 400
        assert query.factors_version is not None


def test_rows_adjusted_on_request_come_as_files(
    homes: Homes, changed: tuple[Home, Server], tmp_path: Path
) -> None:
    home, server = changed
    with ticklake.Client(server.url, homes.key, cache=tmp_path / "cache") as client:
        query = client.daily("AAA", DATES, adjusted=True, adjusted_as_of="2020-06-16", columns=COLUMNS)
        (file,) = query.download(tmp_path / "files")
        assert pq.read_table(file)["ClosePrice"].to_pylist() == [4, 8, 8]
        version = query.factors_version
        assert version is not None
        publish_events(home, tmp_path, EVENTS[1:])
        # A query stays with its factors, and asks for links by them.
        (again,) = query.download(tmp_path / "again")
        assert again.read_bytes() == file.read_bytes()
        now = client.daily("AAA", DATES, adjusted=True, adjusted_as_of="2020-06-16", columns=COLUMNS)
        (file,) = now.download(tmp_path / "now")
        assert pq.read_table(file)["ClosePrice"].to_pylist() == [8, 8, 8]
        assert now.factors_version == version + 1


def test_rows_are_adjusted_for_adjusted_datasets_alone(
    homes: Homes, served: tuple[Home, Server], tmp_path: Path
) -> None:
    with (
        ticklake.Client(served[1].url, homes.key, cache=False) as client,
        pytest.raises(ticklake.InvalidRequestError, match="ask with adjusted=true"),
    ):
        client.daily("AAA", DATES, adjusted_as_of="2020-06-16").to_arrow()


def test_securities_that_are_not_adjusted_are_named(
    homes: Homes, served: tuple[Home, Server], tmp_path: Path
) -> None:
    _, server = served
    said = "Rows of some securities are not adjusted: AAA 33 no-event"
    for offline in (False, False, True):  # the second time from the cache
        with (
            ticklake.Client(server.url, homes.key, cache=tmp_path / "cache", offline=offline) as client,
            pytest.warns(ticklake.ReadWarning, match=said),
        ):
            query = client.daily("AAA", DATES, adjusted=True, adjusted_as_of="2020-06-15", limit=3)
            assert closes(query) == [8, 8, 8]
            assert query.unadjusted == ("AAA 33 no-event",)
    with ticklake.Client(server.url, homes.key, cache=False) as client:
        whole = client.daily("AAA", DATES, adjusted=True, adjusted_as_of="2020-06-17", limit=3)
        assert closes(whole) == [1, 2, 8]
        assert whole.unadjusted == ()
        raw = client.daily("AAA", DATES, limit=3)
        raw.to_arrow()
        assert raw.unadjusted is None
