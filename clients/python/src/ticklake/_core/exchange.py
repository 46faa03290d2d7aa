"""One request until it is answered: the gate, attempts, waits, and the error if there is no answer."""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from urllib.parse import unquote_to_bytes, urljoin, urlsplit

from ..errors import (
    APIError,
    IntegrityError,
    NotCachedError,
    QuotaExceededError,
    TransportError,
    error_class,
)
from ..progress import Reporter
from .retry import backoff, is_retried, wait_of
from .session import Session
from .steps import Head, Lost, Memory, Reply, Send, Sink, Sleep, Task

GOOD = frozenset({200, 206, 304})
# A temporary redirect.
MOVED = 307
PLAIN = {"accept-encoding": "identity"}
IN_BETWEEN = "is there a login page or a proxy in between?"
# Every server gives its answers an id; since this client came, it names their requests, too.
OLD_SERVER = "the server is older than this client: install the one that comes with it"
# An attempt that brought as much on is not held against those to come.
RESUMED_BYTES = 262_144


@dataclass(frozen=True, slots=True)
class Context:
    """The subject of a request, for its errors, and the reporter of its progress."""

    dataset: str | None = None
    version: int | None = None
    reporter: Reporter = field(default_factory=lambda: Reporter(None))


class Request:
    """A GET that may be sent several times, each time as things are by then."""

    good = GOOD
    # True if the answer may be elsewhere, where no key is sent.
    may_move = False

    def __init__(self, url: str, headers: Mapping[str, str] | None = None) -> None:
        self.url = url
        self._headers = headers or {}

    def headers(self) -> Mapping[str, str]:
        return self._headers

    def choose(self, head: Head) -> Sink | None:
        """The sink for the body of a good answer; None to hang up."""
        return Memory()

    def received(self) -> int:
        """Bytes that are there to stay, should the answer break off."""
        return 0


def _texts(detail: Any) -> tuple[str, list[dict[str, Any]]]:
    if not isinstance(detail, list):
        return str(detail), []
    problems = [problem for problem in detail if isinstance(problem, dict)]
    lines = []
    for problem in problems:
        message, loc = str(problem.get("msg", "")), problem.get("loc") or [""]
        where = str(loc[-1])
        lines.append(message if where in message else f"{message} (in '{where}')")
    return "; ".join(lines), problems


def _error(session: Session, context: Context, reply: Reply, attempts: int, wait: float) -> APIError:
    head = reply.head
    body = reply.sink.bytes() if isinstance(reply.sink, Memory) else b""
    try:
        detail, problems = _texts(json.loads(body)["detail"])
    except (ValueError, KeyError, TypeError):
        # A proxy on the way answers with a page of its own.
        detail, problems = f"The server answered with status {head.status}", []
        detail += f": {IN_BETWEEN}" if head.status < 400 else ""
    if head.status == 401 and not session.settings.key:
        detail += ": give the API key as `key`, or set TICKLAKE_KEY"
    retry_at = session.now() + timedelta(seconds=wait) if head.status == 429 else None
    return error_class(head.status, detail, head.headers.get("x-ratelimit-window"))(
        head.status,
        detail,
        hint=head.headers.get("x-hint"),
        problems=problems,
        request_id=head.headers.get("x-request-id"),
        dataset=context.dataset,
        version=context.version,
        attempts=attempts,
        retry_at=retry_at,
    )


def _pass_gate(session: Session) -> Task[None]:
    while (seconds := session.gate.seconds(session.monotonic())) > 0:
        yield Sleep(seconds)


def _pause(session: Session, context: Context, seconds: float) -> Task[None]:
    context.reporter.set(waiting_until=session.now() + timedelta(seconds=seconds))
    yield Sleep(seconds)
    context.reporter.set(waiting_until=None)
    context.reporter.add(retries=1)


def _digest(body: bytes) -> str:
    return f"sha-256=:{b64encode(hashlib.sha256(body).digest()).decode()}:"


def _answers(session: Session, request: Request) -> Callable[[Head], bool]:
    """Tells whether an answer is to this request: connections and caches may mix them up."""
    base = session.url("")
    if not request.url.startswith(base):
        return lambda head: True
    path, mark, query = request.url[len(base) :].partition("?")
    expected = _digest(unquote_to_bytes(f"{path}{mark}{query.replace('+', ' ')}"))
    # A proxy that sends a file itself may leave it out: the file is known by its own digest.
    without = expected if request.may_move else None

    def is_answer(head: Head) -> bool:
        return head.status not in request.good or head.headers.get("x-request-digest", without) == expected

    return is_answer


def _once(session: Session, request: Request) -> Task[Reply | Lost]:
    yield from _pass_gate(session)
    is_answer = _answers(session, request)

    def choose(head: Head) -> Sink | None:
        return request.choose(head) if head.status in request.good else Memory()

    def choose_answer(head: Head) -> Sink | None:
        return choose(head) if is_answer(head) else None

    outcome: Reply | Lost = yield Send(
        request.url, {**PLAIN, **request.headers()}, choose_answer, session.sign
    )
    if isinstance(outcome, Reply) and not is_answer(outcome.head):
        has_digest = "x-request-digest" in outcome.head.headers
        is_old = not has_digest and "x-request-id" in outcome.head.headers
        return Lost(OLD_SERVER if is_old else f"it does not name this request: {IN_BETWEEN}")
    if not request.may_move or not isinstance(outcome, Reply) or outcome.head.status != MOVED:
        return outcome
    place = urljoin(request.url, outcome.head.headers.get("location", ""))
    return (yield from _at(place, request, choose))


def _at(place: str, request: Request, choose: Callable[[Head], Sink | None]) -> Task[Reply | Lost]:
    """The answer of another place. If it refuses, the service is asked again."""
    parts = urlsplit(place)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return Lost("the service leads to no address")
    outcome: Reply | Lost = yield Send(place, {**PLAIN, **request.headers()}, choose)
    if isinstance(outcome, Reply) and outcome.head.status not in request.good:
        return Lost(f"{parts.netloc}, where the service leads to, answered {outcome.head.status}")
    return outcome


def exchange(session: Session, context: Context, request: Request) -> Task[Reply]:
    """The answer to a request. Raises `APIError` or `TransportError`; offline `NotCachedError`."""
    settings = session.settings
    if settings.offline:
        what = request.url.removeprefix(session.url("/"))
        raise NotCachedError(f"The client is offline, and the cache does not have {what}")
    tries = attempts = 0
    while True:
        received, passed = request.received(), session.gate.passed
        outcome = yield from _once(session, request)
        attempts += 1
        if isinstance(outcome, Reply) and outcome.head.status in request.good:
            session.gate.count_passed()
            return outcome
        if request.received() - received >= RESUMED_BYTES:
            tries = 0
        chance = session.chance()
        if isinstance(outcome, Lost):
            wait = backoff(tries, chance)
            if outcome.is_final or tries >= settings.max_retries:
                text = f"No complete answer from {settings.origin}: {outcome.reason}"
                raise TransportError(f"{text} ({attempts} attempts)")
        else:
            wait = wait_of(outcome.head, tries, chance, session.now())
            error = _error(session, context, outcome, attempts, wait)
            is_hopeless = not is_retried(error.status, tries) or isinstance(error, QuotaExceededError)
            if is_hopeless or wait > settings.max_wait or tries >= settings.max_retries:
                raise error
            if error.status == 429:
                session.gate.close_until(session.monotonic() + wait)
                # While others get through, the minute's limit is shared, and it is a matter of turns.
                tries -= 1 if session.gate.passed > passed else 0
        yield from _pause(session, context, wait)
        tries += 1


def ask_json(session: Session, context: Context, path: str) -> Task[Any]:
    """The JSON of the answer at `path` below the prefix, once more if it is not as it was sent."""
    url = session.url(path)
    # Pages have a digest for those alone who ask.
    wanted = {"want-repr-digest": "sha-256=1"}
    for _ in range(2):
        reply = yield from exchange(session, context, Request(url, wanted))
        assert isinstance(reply.sink, Memory)
        body = reply.sink.bytes()
        if reply.head.headers.get("repr-digest") == _digest(body):
            try:
                return json.loads(body)
            except ValueError as error:
                raise IntegrityError(f"The answer to {url} is no JSON: {IN_BETWEEN}") from error
    raise IntegrityError(f"The bytes of the answer to {url} do not have the digest that it names")


@contextmanager
def understood() -> Generator[None, None, None]:
    """Around whatever takes an answer apart: raises `IntegrityError` where it has not what it should have."""
    try:
        yield
    except (AttributeError, KeyError, TypeError) as error:
        raise IntegrityError(f"An answer of the service lacks what the client needs: {error!r}") from error
