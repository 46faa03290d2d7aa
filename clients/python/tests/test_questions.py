"""What a call becomes on the wire, and what is refused before anything is sent."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import ticklake
from ticklake._core.question import days_between, days_of, filters_of, ids_of, period_over


def test_dates_are_a_day_a_range_or_a_list() -> None:
    day = date(2026, 11, 20)
    assert days_of("2026-11-20").one == day
    assert days_of(datetime(2026, 11, 20, 15)).one == day
    assert days_of(("2026-11-20", day)).one == day
    assert (days_of("2026-11-02/2026-11-20").first, days_of((None, day)).last) == (date(2026, 11, 2), day)
    assert days_of([day, "2026-11-18", day]).each == (date(2026, 11, 18), day)


def test_start_and_end_are_another_way_to_say_dates() -> None:
    both = {"start": "2026-11-02", "end": date(2026, 11, 20)}
    assert days_between(None, both) == days_of(("2026-11-02", "2026-11-20"))
    assert days_between(None, {"start": "2026-11-02"}) == days_of(("2026-11-02", None))
    assert days_between(None, {"end": "2026-11-20"}) == days_of((None, "2026-11-20"))
    assert days_between(None, {"start": None}) == days_of((None, None))
    assert days_between("2026-11-20", {}) == days_of("2026-11-20")
    assert days_between(None, {}) is None


def test_dates_that_are_given_twice_or_not_at_all_are_refused(tmp_path: Path) -> None:
    client = ticklake.Client(cache=tmp_path)
    with pytest.raises(ticklake.InputError, match="not both"):
        client.bars("AAA", "2026-11-20", end="2026-11-20")
    with pytest.raises(ticklake.InputError, match="before it begins"):
        client.daily("AAA", start="2026-11-20", end="2026-11-19")
    with pytest.raises(ticklake.InputError, match="`start`"):
        client.ticks("AAA")
    with pytest.raises(ticklake.InputError, match="all dates"):
        client.dataset("kinds").changes(1, start="2026-11-20")


@pytest.mark.parametrize("dates", ["yesterday", "2026-02-30", (1, 2, 3), [], ("2026-11-20", "2026-11-19"), 5])
def test_what_is_no_date_is_refused(dates: Any) -> None:
    with pytest.raises(ticklake.InputError, match=r"day|date|range"):
        days_of(dates)


def test_dates_identifiers_and_values_may_come_out_of_a_frame() -> None:
    frame = pd.DataFrame({"at": pd.to_datetime(["2026-11-20 15:00", "2026-11-18 09:30"]), "id": ["B", "A"]})
    days = days_of(["2026-11-18", "2026-11-20"])
    assert days_of(frame["at"]) == days_of(frame["at"].to_numpy()) == days
    assert days_of(frame["at"].to_numpy()[0]) == days_of(frame["at"][0]) == days_of("2026-11-20")
    assert ids_of(frame["id"]) == ids_of(frame["id"].to_numpy()) == ("B", "A")
    for values in (frame["id"], frame["id"].to_numpy(), iter(frame["id"])):
        assert filters_of({"Ticker": values}) == [("Ticker.in", "B,A")]


def test_identifiers_are_of_one_kind_and_none_is_empty() -> None:
    assert ids_of(["AAA", "BBB", "AAA"]) == ("AAA", "BBB")
    assert ids_of(1010000000000001) == ("1010000000000001",)
    for wrong in ([], "", ["A", ""], ["A", "101"]):
        with pytest.raises(ticklake.InputError):
            ids_of(wrong)


def test_filters_take_values_of_every_type() -> None:
    at = datetime(2026, 11, 20, 10, 0, 0, 5, tzinfo=timezone(timedelta(hours=-5)))
    where = {
        "Price.gt": Decimal("0.00000001"),
        "Flag": True,
        "At.ge": at,
        "Day": date(2026, 11, 20),
        "Name": ["Alphabet, Inc.", 'a"b'],
        "Count.in": [1, 2],
    }
    assert filters_of(where) == [
        ("Price.gt", "0.00000001"),
        ("Flag", "true"),
        ("At.ge", "2026-11-20T10:00:00.000005-05:00"),
        ("Day", "2026-11-20"),
        ("Name.in", '"Alphabet, Inc.","a""b"'),
        ("Count.in", "1,2"),
    ]
    for wrong in ({"Price.gt": [1]}, {"Name.in": []}, {"Name": None}):
        with pytest.raises(ticklake.InputError):
            filters_of(wrong)


def test_a_period_covers_the_range_that_is_asked_for() -> None:
    assert period_over(days_of("2026-11-20")) is None
    assert period_over(days_of(("2026-11-01", "2026-11-20"))) == "20D"
    assert period_over(days_of(("1990-01-01", "2026-11-20"))) == "37Y"
    assert period_over(days_of((None, "2026-11-20"))) == period_over(days_of((None, None))) == "200Y"
    today = datetime.now(UTC).date()
    assert period_over(days_of((today, None))) == "3D"


@pytest.mark.parametrize(
    "settings",
    [
        {"url": "ftp://x"},
        {"url": "http://u:p@x"},
        {"url": "http://x?key=1"},
        {"timeout": 0},
        {"max_retries": -1},
        {"concurrency": 0},
        {"offline": True, "cache": False},
        {"proxy": "proxy.example.com:3128"},
        {"proxy": "ftp://proxy.example.com"},
    ],
)
def test_settings_that_cannot_be_are_refused(settings: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(ticklake.InputError):
        ticklake.Client(**{"cache": tmp_path, **settings})


def test_an_option_that_there_is_not_is_refused_with_those_that_there_are(tmp_path: Path) -> None:
    client: Any = ticklake.Client(cache=tmp_path)
    with pytest.raises(ticklake.InputError, match=r"'wher'.*where"):
        client.ticks("AAA", "2026-11-20", wher={})


def test_the_environment_names_server_and_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TICKLAKE_URL", "https://data.example.com/api/v1/")
    monkeypatch.setenv("TICKLAKE_KEY", "secret-of-the-environment")
    monkeypatch.setenv("TICKLAKE_CACHE", str(tmp_path))
    client = ticklake.Client()
    settings = client._session.settings
    assert (settings.origin, settings.prefix) == ("https://data.example.com", "/api/v1")
    assert settings.key == "secret-of-the-environment"
    assert client.cache is not None and client.cache.folder == tmp_path
    assert "secret" not in repr(client) + repr(client._session)
