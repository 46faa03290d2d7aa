"""The official Python client reads exactly what was loaded, within the rules, into pandas."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal

import delta_sharing
import pandas as pd
import pyarrow as pa
import pytest
from delta_sharing import SharingClient
from requests import HTTPError
from tests.support import rows
from tests.support.server import Home

from .conftest import Profile


def on(day: date) -> str:
    column = {"op": "column", "name": "TradeDate", "valueType": "date"}
    literal = {"op": "literal", "value": str(day), "valueType": "date"}
    return json.dumps({"op": "equal", "children": [column, literal]})


def ticks_of(profile: str, share: str = "wide") -> str:
    return f"{profile}#{share}.equity.eq_taq"


def expect_ticks(frame: pd.DataFrame, table: pa.Table) -> None:
    """Equal in every value: times to the nanosecond, whole numbers beyond 2**53."""
    assert len(frame) == len(table)
    due = table.sort_by([("TradeDate", "ascending"), ("Ticker", "ascending"), ("EventDateTime", "ascending")])
    got = frame.sort_values(["TradeDate", "Ticker", "EventDateTime_ns"], kind="stable")
    nanos = due["EventDateTime"].cast(pa.int64()).to_pylist()
    assert got["EventDateTime_ns"].tolist() == nanos
    assert str(got["EventDateTime"].dtype) == "datetime64[us, UTC]"
    micros = got["EventDateTime"].astype("int64").tolist()
    assert micros == [at // 1000 for at in nanos]
    for name in ("TradeDate", "Ticker", "EventType", "ASID", "Price", "Quantity", "Exchange"):
        assert got[name].tolist() == due[name].to_pylist()


def test_lists_the_tables_of_the_account(everything: str) -> None:
    client = SharingClient(everything)
    assert [share.name for share in client.list_shares()] == ["wide"]
    tables = [(table.schema, table.name) for table in client.list_all_tables()]
    assert tables == [("equity", "eq_taq"), ("test", "kinds")]


def test_a_whole_table_is_every_row(everything: str) -> None:
    expect_ticks(delta_sharing.load_as_pandas(ticks_of(everything)), rows.all_ticks())


def test_a_hint_reads_one_day(everything: str) -> None:
    [first, *_] = rows.DAYS
    frame = delta_sharing.load_as_pandas(ticks_of(everything), jsonPredicateHints=on(first))
    expect_ticks(frame, rows.all_ticks([first]))


def test_a_limit_reads_as_many_rows(everything: str) -> None:
    assert len(delta_sharing.load_as_pandas(ticks_of(everything), limit=10)) == 10


def test_every_type_of_column_arrives(everything: str) -> None:
    frame = delta_sharing.load_as_pandas(f"{everything}#wide.test.kinds")
    due = rows.kinds().to_pylist()
    assert len(frame) == len(due)
    got = {(row["TradeDate"], row["Ticker"]): row for row in frame.to_dict("records")}
    for row in due:
        found = got[(row["TradeDate"], row["Ticker"])]
        for name in ("Exact", "Flag", "Other"):
            assert (None if pd.isna(found[name]) else found[name]) == row[name]
        for name in ("Words", "Counts"):
            assert (None if found[name] is None else list(found[name])) == row[name]
    assert isinstance(frame["Exact"].dropna().iloc[0], Decimal)
    at = frame["At_ns"].dropna()
    assert len(at) == sum(row["At"] is not None for row in due)


def test_changes_are_the_rows_that_went_and_came(home: Home, everything: str) -> None:
    url = ticks_of(everything)
    before = delta_sharing.get_table_version(url)
    [last] = rows.DAYS[-1:]
    file = rows.write_csv(rows.all_ticks([last], ["DDD"]), home.folder.parent / "more.csv")
    publication = home.append("eq_taq", file)
    try:
        changes = delta_sharing.load_table_changes_as_pandas(url, starting_version=before + 1)
        counts = changes["_change_type"].value_counts().to_dict()
        kept = len(rows.all_ticks([last]))
        assert counts == {"delete": kept, "insert": kept + rows.ROWS_EACH}
        assert set(changes["_commit_version"]) == {before + 1}
        expect_ticks(delta_sharing.load_as_pandas(url, version=before), rows.all_ticks())
    finally:
        home.roll_back(publication)


def test_the_rules_are_cut_in_and_hold_at_once(home: Home, profile: Profile) -> None:
    key = home.account("narrow", [])
    identity = str(home.identities["narrow"])
    words = ["--identity", identity, "--dataset", "eq_taq", "--universe", "BBB"]
    rule = home.run("rule", "add", *words, "--start", str(rows.DAYS[1]))["rule_id"]
    url = ticks_of(profile("narrow", key), "narrow")
    expect_ticks(delta_sharing.load_as_pandas(url), rows.all_ticks(rows.DAYS[1:], ["BBB"]))
    home.run("rule", "remove", str(rule))
    with pytest.raises(HTTPError, match="RESOURCE_DOES_NOT_EXIST"):
        delta_sharing.load_as_pandas(url)


def test_a_key_that_is_unknown_is_told(profile: Profile) -> None:
    with pytest.raises(HTTPError, match="Invalid API key"):
        SharingClient(profile("nobody", "nope")).list_shares()
