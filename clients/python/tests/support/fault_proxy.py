"""A proxy before a real server that breaks answers as it is told: nothing of it invents rows."""

from __future__ import annotations

import fcntl
import re
import socket
import ssl
import struct
import termios
import threading
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import unquote_to_bytes, urlsplit

from .until import until


@dataclass(frozen=True)
class Fault:
    """What becomes of one answer. Bytes are counted from the first of its body, or of its head.

    `reset` hangs up after so many bytes of the body, `stall` falls silent there until the client has gone or
    `over` says so, `flip` turns a bit of that byte over, `flip_request` one of the request.
    `ignore_range` has the server send the whole file.
    `refuse` is what is answered in the server's place: the text of a whole answer. `other` is another path,
    whose answer is given; `is_bare` leaves out the service's digests.
    """

    reset: int | None = None
    stall: int | None = None
    over: Callable[[], bool] = lambda: False
    flip: int | None = None
    flip_head: int | None = None
    flip_request: int | None = None
    ignore_range: bool = False
    refuse: bytes | None = None
    other: str | None = None
    is_bare: bool = False
    before: Callable[[], None] | None = None


def too_many(seconds: int, window: str = "minute", text: str = "Per-minute request limit exceeded") -> Fault:
    """A 429 as the service words it."""
    body = f'{{"detail":"{text}: 1/1 requests."}}'.encode()
    head = (
        "HTTP/1.1 429 Too Many Requests\r\ncontent-type: application/json\r\nx-request-id: from-proxy\r\n"
        f"x-ratelimit-limit: 1\r\nx-ratelimit-remaining: 0\r\nx-ratelimit-reset: {seconds}\r\n"
        f"x-ratelimit-window: {window}\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    return Fault(refuse=head.encode() + body)


def moved(place: str) -> Fault:
    """The answer is at another place."""
    head = f"HTTP/1.1 307 Temporary Redirect\r\nlocation: {place}\r\ncontent-length: 0\r\n\r\n"
    return Fault(refuse=head.encode())


def answered(body: bytes, kind: str = "application/json", status: str = "200 OK") -> Fault:
    head = f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n\r\n"
    return Fault(refuse=head.encode() + body)


def signed(path: str, body: bytes) -> Fault:
    """An answer as if it came from the service."""
    digests = [
        b64encode(sha256(each).digest()).decode()
        for each in (unquote_to_bytes(path.partition("/v1")[2]), body)
    ]
    told = "".join(
        f"\r\n{name}: sha-256=:{digest}:"
        for name, digest in zip(("x-request-digest", "repr-digest"), digests, strict=True)
    )
    return answered(body, f"application/json{told}")


Choose = Callable[[int, str], "Fault | None"]


class FaultProxy:
    """Listens until it is closed. `choose` says by the number and path of a request what goes wrong."""

    def __init__(self, upstream: str, tls: ssl.SSLContext | None = None) -> None:
        parts = urlsplit(upstream)
        self._upstream = (parts.hostname or "", parts.port or 80)
        self.choose: Choose = lambda number, path: None
        # Answers like a store of objects, which knows nothing of the service's digests.
        self.is_store = False
        self.paths: list[str] = []
        self.heads: list[str] = []
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http{'s' if tls else ''}://127.0.0.1:{self._listener.getsockname()[1]}"
        if tls is not None:
            # Hands are shaken as the first bytes are read, by the thread of the connection.
            wrap = {"server_side": True, "do_handshake_on_connect": False}
            self._listener = tls.wrap_socket(self._listener, **wrap)
        threading.Thread(target=self._accept, daemon=True).start()

    def reset(self, choose: Choose | None = None) -> None:
        self.paths, self.heads = [], []
        self.choose = choose or (lambda number, path: None)

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client:
            try:
                while head := _read_head(client):
                    if not self._answer(client, head):
                        return
            except OSError:
                return

    def _answer(self, client: socket.socket, head: bytes) -> bool:
        path = head.split(b" ", 2)[1].decode()
        with self._lock:
            number = len(self.paths)
            self.paths.append(path)
            self.heads.append(head.decode("latin-1"))
            fault = self.choose(number, path) or Fault()
        if fault.before is not None:
            fault.before()
        if fault.refuse is not None:
            client.sendall(fault.refuse)
            return True
        answer_head, body = self._ask(head, fault)
        return _send(client, answer_head, body, fault)

    def _ask(self, head: bytes, fault: Fault) -> tuple[bytes, bytes]:
        if fault.flip_request is not None:
            # Not of the method, or of the end: a server that waits for more says nothing.
            head = head[:4] + _flipped(head[4:-4], fault.flip_request) + head[-4:]
        if fault.ignore_range:
            head = re.sub(rb"(?im)^(range|if-range):.*\r\n", b"", head)
        if fault.other is not None:
            method, _, version = head.split(b" ", 2)
            head = b" ".join([method, fault.other.encode(), version])
        head = re.sub(rb"(?im)^connection:.*\r\n", b"", head)
        head = head.replace(b"\r\n\r\n", b"\r\nconnection: close\r\n\r\n")
        with socket.create_connection(self._upstream) as server:
            server.sendall(head)
            chunks = []
            while chunk := server.recv(1 << 20):
                chunks.append(chunk)
        answer_head, _, body = b"".join(chunks).partition(b"\r\n\r\n")
        if self.is_store or fault.is_bare:
            answer_head = re.sub(rb"(?im)^(x-request-digest|repr-digest):.*\r\n", b"", answer_head + b"\r\n")[
                :-2
            ]
        return re.sub(rb"(?im)^(connection|keep-alive):.*\r\n", b"", answer_head + b"\r\n\r\n"), body


def _read_head(client: socket.socket) -> bytes:
    head = b""
    while b"\r\n\r\n" not in head:
        chunk = client.recv(65536)
        if not chunk:
            return b""
        head += chunk
    return head


def _flipped(data: bytes, at: int) -> bytes:
    at %= len(data)
    return data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1 :]


def _send(client: socket.socket, head: bytes, body: bytes, fault: Fault) -> bool:
    """Whether the connection goes on."""
    if fault.flip_head is not None:
        # Not the line of the status: a client that takes it for another one is told so by nobody.
        start = head.index(b"\r\n") + 2
        head = head[:start] + _flipped(head[start:-4], fault.flip_head) + head[-4:]
    if fault.flip is not None and body:
        body = _flipped(body, fault.flip)
    cut = fault.reset if fault.reset is not None else fault.stall
    if cut is None:
        client.sendall(head + body)
        return True
    client.sendall(head + body[: cut % (len(body) + 1)])
    if fault.reset is not None:
        # Without lingering, closing sends a reset, and nothing that has not arrived.
        until(lambda: _unsent(client) == 0)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return False
    until(lambda: _is_gone(client) or fault.over())
    return False


def _unsent(client: socket.socket) -> int:
    """Bytes that the other side has not taken in."""
    answer = fcntl.ioctl(client, termios.TIOCOUTQ, struct.pack("i", 0))
    return int(struct.unpack("i", answer)[0])


def _is_gone(client: socket.socket) -> bool:
    try:
        return client.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
    except BlockingIOError:
        return False
