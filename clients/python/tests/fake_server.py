"""A server whose responses a test writes."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Seen:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class FakeServer:
    """Calls ``respond(request, handler, count)`` for each request."""

    def __init__(self, respond: Callable[[Seen, BaseHTTPRequestHandler, int], None]) -> None:
        self.seen: list[Seen] = []
        seen, lock = self.seen, threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            def handle_any(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                request = Seen(self.command, self.path, headers, body)
                with lock:
                    seen.append(request)
                    count = len(seen)
                respond(request, self, count)

            do_GET = do_POST = do_PATCH = do_DELETE = handle_any

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()
        self.base_url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> FakeServer:
        return self

    def __exit__(self, *_: Any) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def send(handler: BaseHTTPRequestHandler, status: int, body: Any, **headers: str) -> None:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    handler.send_response(status)
    handler.send_header("content-type", headers.pop("content_type", "application/json; charset=utf-8"))
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("content-length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content)


def failure(code: str) -> dict[str, Any]:
    return {"error": f"refused: {code}", "code": code, "request_id": "req_1"}


def envelope(**given: Any) -> dict[str, Any]:
    return {
        **{"id": "run_1", "kind": "crawl", "status": "done", "creditsUsed": 1, "counts": {}, "stop": None},
        **{"progress": {"done": 1, "total": 1, "queued": 0}, "error": None, "request_id": "req_1"},
        **{"data": [], "next": None, "cursor": None},
        **given,
    }
