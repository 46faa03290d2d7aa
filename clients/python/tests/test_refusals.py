"""Refusals of a real server as exceptions, and what is done about those that pass."""

from __future__ import annotations

import traceback
import warnings
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import ticklake
from ticklake._core.steps import Sleep
from ticklake._drive.sync import _Run

from .conftest import Connect
from .support.calls import outcome
from .support.fault_proxy import FaultProxy, moved, too_many
from .support.server import Home


def test_an_error_carries_the_text_the_request_and_what_was_asked(connect: Connect) -> None:
    client = connect()
    with pytest.raises(ticklake.InvalidRequestError) as told:
        client.dataset("kinds").read(where={"NoSuchColumn": 1}, sort="Ticker").to_arrow()
    error = told.value
    assert error.status == 422 and "NoSuchColumn" in error.detail
    assert error.problems[0]["type"] == "unknown_column"
    assert error.request_id and error.request_id in str(error)
    assert (error.dataset, error.attempts) == ("US9001", 1)
    with pytest.raises(ticklake.NotFoundError):
        client.dataset("no_such_dataset").status()
    with pytest.raises(ticklake.AuthenticationError):
        connect(key="tk_no_such_key").datasets()


def test_a_missing_key_is_told_where_to_give_it(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TICKLAKE_KEY", raising=False)
    with pytest.raises(ticklake.AuthenticationError, match="set TICKLAKE_KEY"):
        connect(key=None).datasets()


def test_a_dataset_without_a_rule_is_refused(connect: Connect, home: Home) -> None:
    client = connect(key=home.account("kinds alone", ["kinds"]))
    with pytest.raises(ticklake.PermissionDeniedError):
        client.dataset("eq_taq").status()
    with pytest.raises(ticklake.InputError, match="kinds"):
        client.ticks("AAA", "2026-11-20").estimate()


def test_an_empty_result_warns_of_what_may_have_been_meant(connect: Connect) -> None:
    client = connect()
    for query in (client.ticks("aaa", "2026-11-20"), client.ticks("aaa", ("2026-11-18", "2026-11-20"))):
        with pytest.warns(ticklake.EmptyResultWarning, match="case-sensitive.*'AAA'") as warned:
            assert query.to_arrow().num_rows == 0
        assert query.hint is not None
        assert warned[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert client.ticks("NOPE", "2026-11-20").to_polars().height == 0


def test_a_run_of_refusals_of_the_minute_is_waited_for(
    connect: Connect, proxy: FaultProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy.choose = lambda number, path: too_many(1) if number < 3 else None
    client = connect(proxy.url)
    slept: list[float] = []
    perform = _Run._perform

    def sleeping(run: _Run, step: Any) -> Any:
        return slept.append(step.seconds) if isinstance(step, Sleep) else perform(run, step)

    monkeypatch.setattr(_Run, "_perform", sleeping)
    monkeypatch.setattr(client._session, "monotonic", lambda: sum(slept))
    monkeypatch.setattr(client._session, "chance", lambda: 0.5)
    assert client.datasets()
    assert slept == [1.5, 1.5, 1.5]
    assert len(proxy.paths) == 4


def test_a_longer_wait_than_the_client_has_raises_at_once_with_its_end(
    connect: Connect, proxy: FaultProxy
) -> None:
    proxy.choose = lambda number, path: too_many(50)
    began = datetime.now(UTC)
    with pytest.raises(ticklake.RateLimitError) as told:
        connect(proxy.url).datasets()
    assert told.value.retry_at is not None
    assert told.value.retry_at >= began + timedelta(seconds=50)
    assert len(proxy.paths) == 1


def test_the_quota_of_the_month_is_never_waited_for(connect: Connect, home: Home) -> None:
    client = connect(key=home.account("month", ["kinds"], month_requests=1))
    client.datasets()
    with pytest.raises(ticklake.QuotaExceededError, match="Monthly"):
        client.dataset("kinds").status()


def test_the_minute_of_a_real_account_raises_beyond_the_wait(connect: Connect, home: Home) -> None:
    client = connect(key=home.account("minute", ["kinds"], minute_requests=1), max_wait=1)
    client.dataset("kinds").status()
    with pytest.raises(ticklake.RateLimitError) as told:
        client.dataset("kinds").status()
    assert not isinstance(told.value, ticklake.QuotaExceededError)
    assert told.value.status == 429
    assert told.value.hint and told.value.hint in str(told.value)


def test_a_server_that_is_not_there_is_told_of_after_all_attempts(connect: Connect) -> None:
    with pytest.raises(ticklake.TransportError, match="2 attempts"):
        connect("http://127.0.0.1:1", max_retries=1).datasets()


@pytest.mark.parametrize("kind", ["Client", "AsyncClient"])
def test_no_frame_of_an_error_has_the_key_in_sight(
    kind: str, proxy: FaultProxy, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ticklake._core.retry.FIRST_WAIT_SECONDS", 0.0)
    settings: dict[str, Any] = {"cache": tmp_path, "max_retries": 1}
    client = getattr(ticklake, kind)(proxy.url, key, **settings)
    nobody = getattr(ticklake, kind)("http://127.0.0.1:1", key, **settings)
    files = client.ticks(["AAA", "BBB"], ("2026-11-18", "2026-11-20"))
    assert not isinstance(outcome(files.estimate), Exception)
    proxy.reset(lambda number, path: moved("http://127.0.0.1:1/x") if "/files/" in path else None)
    errors = {
        "a refusal": outcome(client.dataset("no_such_dataset").status),
        "a dead port": outcome(nobody.datasets),
        "rows": outcome(client.dataset("kinds").read(where={"NoSuchColumn": 1}).to_arrow),
        "files": outcome(files.to_arrow),
    }
    for name, error in errors.items():
        assert isinstance(error, ticklake.TicklakeError), name
        told = "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())
        assert "session = " in told and key not in told, name


def test_a_key_that_cannot_be_one_is_refused_and_not_shown(connect: Connect, key: str) -> None:
    assert connect(key=f"{key}\n").datasets()
    for wrong in (f"{key} {key}", f"{key}\nx", f"{key}ü"):
        with pytest.raises(ticklake.InputError) as told:
            connect(key=wrong)
        assert key not in str(told.value)


def test_a_key_goes_in_a_header_and_nowhere_else(connect: Connect, proxy: FaultProxy, key: str) -> None:
    client = connect(proxy.url)
    client.dataset("kinds").status()
    assert all(key not in path for path in proxy.paths)
    assert all(f"x-api-key: {key}" in head.lower().replace(key.lower(), key) for head in proxy.heads)
    assert client.cache is not None
    for file in client.cache.folder.rglob("*"):
        assert key not in str(file)
        assert not file.is_file() or key.encode() not in file.read_bytes()
