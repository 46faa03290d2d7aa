"""The current ClickHouse, in this process, behind the part of its HTTP interface that clients need.

Takes a folder, a port and, for HTTPS beside it, another port, a certificate and its key. Rows, statements and their
failures are the engine's own; users, and what the reader may do, are this program's. All queries run one after the
other, each to its end before its answer is sent. A server that is killed is killed as a whole.
"""

import ssl
import sys
import tempfile
import threading
from base64 import b64decode
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from chdb import ChdbError
from chdb.session import Session

PASSWORDS = {"owner": "owns", "ticklake_writer": "writes", "ticklake_reader": "reads"}
PIECE_BYTES = 65536

folder, port, *encryption = sys.argv[1:]
session = Session(folder)
turn = threading.Lock()
hung_up = 0


class Refused(Exception):
    """Its number is ClickHouse's own for such an error."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(f"Code: {code}. DB::Exception: {text}")


def run(database: str, sql: str, params: dict[str, str]) -> bytes:
    with turn:
        session.query(f"USE `{database}`")
        result = session.query(sql, "TabSeparated", params=params or None)
        return result.bytes() or b""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # As the server does: the last bytes of an answer do not wait until the client confirms others.
    disable_nagle_algorithm = True

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self.answer(200, f"{hung_up}\n".encode())

    def do_POST(self) -> None:
        fields = parse_qs(urlsplit(self.path).query, keep_blank_values=True)
        asked = {name: values[0] for name, values in fields.items()}
        params = {name[6:]: value for name, value in asked.items() if name.startswith("param_")}
        try:
            with tempfile.NamedTemporaryFile() as file:
                file.write(self.body())
                file.flush()
                user = self.user(asked)
                sql = self.statement(asked.get("query"), file.name)
                if user == "ticklake_reader" and not sql.startswith("SELECT"):
                    raise Refused(164, "Cannot execute query in readonly mode. (READONLY)")
                self.answer(200, run(asked.get("database", "default"), sql, params))
        except (ChdbError, Refused) as error:
            self.answer(500, str(error).encode())

    def user(self, asked: dict[str, str]) -> str:
        name, password = asked.get("user"), asked.get("password")
        if name is None:
            name, password = self.headers.get("X-ClickHouse-User"), self.headers.get("X-ClickHouse-Key")
        if name is None:
            basic = self.headers.get("Authorization", "").removeprefix("Basic ")
            name, _, password = b64decode(basic).decode().partition(":")
        if PASSWORDS.get(name) != password:
            raise Refused(516, f"{name}: Authentication failed. (AUTHENTICATION_FAILED)")
        return name

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
        """In chunks, as a server that does not know yet how many will follow."""
        global hung_up
        self.send_response(status)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            for at in range(0, len(content), PIECE_BYTES):
                piece = content[at : at + PIECE_BYTES]
                self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            self.wfile.write(b"0\r\n\r\n")
        except OSError:
            hung_up += 1
            self.close_connection = True


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """A client that leaves is none of our business."""


if encryption:
    encrypted = Server(("127.0.0.1", int(encryption[0])), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(encryption[1], encryption[2])
    encrypted.socket = context.wrap_socket(encrypted.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=encrypted.serve_forever, daemon=True).start()
Server(("127.0.0.1", int(port)), Handler).serve_forever()
