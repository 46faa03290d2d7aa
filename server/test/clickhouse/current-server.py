"""The current ClickHouse, in this process, behind the part of its HTTP interface that clients need.

Takes a folder and a port. Rows, statements and failures are the engine's own; all queries run one
after the other.
"""

import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from chdb import ChdbError
from chdb.session import Session

folder, port = sys.argv[1], int(sys.argv[2])
session = Session(folder)
session.query("CREATE DATABASE lake")
session.query("USE lake")
turn = threading.Lock()


def run(sql: str, params: dict[str, str]) -> bytes:
    with turn:
        result = session.query(sql, "TabSeparated", params=params or None)
        return result.bytes() or b""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self.answer(200, b"Ok.\n")

    def do_POST(self) -> None:
        fields = parse_qs(urlsplit(self.path).query, keep_blank_values=True)
        asked = {name: values[0] for name, values in fields.items()}
        params = {name[6:]: value for name, value in asked.items() if name.startswith("param_")}
        try:
            with tempfile.NamedTemporaryFile() as file:
                file.write(self.body())
                file.flush()
                self.answer(200, run(self.statement(asked.get("query"), file.name), params))
        except ChdbError as error:
            self.answer(500, str(error).encode())

    def statement(self, query: str | None, body_path: str) -> str:
        if query is None:
            with open(body_path, encoding="utf-8") as file:
                return file.read()
        return query.replace(" FORMAT ", f" FROM INFILE '{body_path}' FORMAT ")

    def body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        pieces = []
        while size := int(self.rfile.readline(), 16):
            pieces.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(pieces)

    def answer(self, status: int, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


class Server(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        """A client that leaves is none of our business."""


Server(("127.0.0.1", port), Handler).serve_forever()
