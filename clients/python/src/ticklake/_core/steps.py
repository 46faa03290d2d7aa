"""Steps that the core asks a driver for."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any, Protocol, TypeAlias, TypeVar

T = TypeVar("T")
# A task yields steps, is sent what came of each, and returns its result.
Task: TypeAlias = "Generator[Any, Any, T]"


class Sink(Protocol):
    """Takes the bytes of an answer."""

    def write(self, chunk: bytes) -> None: ...


class Memory:
    """A body in memory, copied as it comes: chunks that wait to be joined leave the processor's caches."""

    def __init__(self) -> None:
        self._buffer = BytesIO()

    def write(self, chunk: bytes) -> None:
        self._buffer.write(chunk)

    def bytes(self) -> bytes:
        return self._buffer.getvalue()


@dataclass(frozen=True, slots=True)
class Head:
    """Status and headers of an answer; names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Reply:
    """A complete answer. `sink` is what its body went to, or None where it was left unread."""

    head: Head
    sink: Sink | None


@dataclass(frozen=True, slots=True)
class Lost:
    """No complete answer: no connection, or one that broke or fell silent. It stays so if `is_final`."""

    reason: str
    is_final: bool = False


@dataclass(frozen=True, slots=True)
class Send:
    """GET `url`; `choose` says by the head where the body goes, None to hang up. Gives `Reply | Lost`.

    `sign` adds the key to the request of the HTTP library, so that no variable on the way shows it.
    """

    url: str
    headers: Mapping[str, str]
    choose: Callable[[Head], Sink | None]
    sign: Callable[[Any], Any] | None = None


@dataclass(frozen=True, slots=True)
class Sleep:
    seconds: float


@dataclass(frozen=True, slots=True)
class Work:
    """Call what blocks for longer than a moment: decode, hash, write. Gives what it returns."""

    call: Callable[[], Any]


@dataclass(slots=True)
class Handle:
    """A task that was started; `running` belongs to the driver."""

    running: Any = field(default=None)


@dataclass(frozen=True, slots=True)
class Start:
    """Run a task beside this one. Gives a `Handle`."""

    task: Task[Any]


@dataclass(frozen=True, slots=True)
class Join:
    """Wait for a task that was started. Gives its result, or raises what it raised."""

    handle: Handle


@dataclass(frozen=True, slots=True)
class Emit:
    """Hand a part of the result to whoever iterates."""

    value: Any


def work(call: Callable[[], T]) -> Task[T]:
    """A task of nothing but a call."""
    result: T = yield Work(call)
    return result
