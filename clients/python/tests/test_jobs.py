from __future__ import annotations

import json
import threading
import unittest
from http.server import BaseHTTPRequestHandler
from typing import Any

from fake_server import FakeServer, Seen, envelope, failure, send

import tidemark
from tidemark import Tidemark
from tidemark.jobs import parse_events


def state(done: int) -> dict[str, Any]:
    return {"status": "running", "progress": {"done": done, "total": 3, "queued": 0}, "creditsUsed": done, "counts": {}}


def event(name: str, data: Any, number: int | None = None) -> bytes:
    identifier = "" if number is None else f"id: {number}\n"
    return f"{identifier}event: {name}\ndata: {json.dumps(data)}\n\n".encode()


def stream(handler: BaseHTTPRequestHandler, *events: bytes) -> None:
    handler.send_response(200)
    handler.send_header("content-type", "text/event-stream")
    handler.end_headers()
    for one in events:
        handler.wfile.write(one)


def crawl_of(server: FakeServer) -> tidemark.Crawl:
    return Tidemark("service_secret", base_url=server.base_url).open_crawl("run_1")


class Jobs(unittest.TestCase):
    def test_wait_reads_the_event_stream_and_reports_progress(self) -> None:
        def respond(request: Seen, handler: BaseHTTPRequestHandler, _: int) -> None:
            if request.path.endswith("/events"):
                stream(handler, b": heartbeat\n\n", event("progress", state(1)), event("done", state(3)))
            else:
                send(handler, 200, envelope(stop="finished"))

        with FakeServer(respond) as server:
            seen: list[int] = []
            ended = crawl_of(server).wait(on_progress=lambda one: seen.append(one["progress"]["done"]))
            self.assertEqual((ended["status"], ended["stop"], seen), ("done", "finished", [1]))
            self.assertEqual([one.path for one in server.seen][1:], ["/v1/crawl/run_1?limit=1&formats=none"])

    def test_a_broken_stream_continues_after_the_last_event(self) -> None:
        def respond(request: Seen, handler: BaseHTTPRequestHandler, _: int) -> None:
            if "last-event-id" not in request.headers:
                stream(handler, event("page", {"url": "a"}, 1), event("page", {"url": "b"}, 2))
            else:
                stream(handler, event("page", {"url": "c"}, 3), event("done", state(3)))

        with FakeServer(respond) as server:
            urls = [one.data["url"] for one in crawl_of(server).events() if one.event == "page"]
            self.assertEqual(urls, ["a", "b", "c"])
            self.assertEqual(server.seen[1].headers["last-event-id"], "2")

    def test_a_stream_that_is_cut_within_a_chunk_or_an_event_continues(self) -> None:
        def respond(request: Seen, handler: BaseHTTPRequestHandler, count: int) -> None:
            if count == 3:
                return stream(handler, event("page", {"url": "b"}, 2), event("done", state(3)))
            first = event("page", {"url": "a"}, 1) if count == 1 else b"event: page\ndata: {\n\n"
            handler.protocol_version = "HTTP/1.1"
            handler.send_response(200)
            handler.send_header("content-type", "text/event-stream")
            handler.send_header("transfer-encoding", "chunked")
            handler.end_headers()
            handler.wfile.write(f"{len(first):x}\r\n".encode() + first + b"\r\nffff\r\nevent: pa")
            handler.close_connection = True

        with FakeServer(respond) as server:
            urls = [one.data["url"] for one in crawl_of(server).events() if one.event == "page"]
            self.assertEqual(urls, ["a", "b"])
            self.assertEqual([one.headers.get("last-event-id") for one in server.seen], [None, "1", "1"])

    def test_wait_polls_where_there_is_no_event_stream(self) -> None:
        def respond(request: Seen, handler: BaseHTTPRequestHandler, count: int) -> None:
            is_over = count > 2
            send(handler, 200, {} if request.path.endswith("/events") else envelope(status="done" if is_over else "running"))

        with FakeServer(respond) as server:
            self.assertEqual(crawl_of(server).wait()["status"], "done")
            self.assertEqual(len(server.seen), 3)

    def test_wait_ends_at_once_for_a_job_that_does_not_exist(self) -> None:
        with FakeServer(lambda _, handler, __: send(handler, 404, failure("not_found"))) as server:
            with self.assertRaises(tidemark.NotFoundError):
                crawl_of(server).wait()
            self.assertEqual(len(server.seen), 1)

    def test_wait_ends_with_the_error_of_a_revoked_key(self) -> None:
        def respond(_: Seen, handler: BaseHTTPRequestHandler, __: int) -> None:
            stream(handler, event("closed", {"code": "unauthorized", "error": "the key was revoked"}))

        with FakeServer(respond) as server, self.assertRaisesRegex(tidemark.TidemarkError, "the key was revoked"):
            crawl_of(server).wait()

    def test_wait_ends_with_the_built_in_error_after_its_timeout(self) -> None:
        def respond(request: Seen, handler: BaseHTTPRequestHandler, _: int) -> None:
            send(handler, 200, {} if request.path.endswith("/events") else envelope(status="running"))

        with FakeServer(respond) as server, self.assertRaisesRegex(tidemark.JobTimeoutError, "continues on the server"):
            crawl_of(server).wait(timeout=0.1)

    def test_wait_ends_after_its_timeout_where_the_server_does_not_respond(self) -> None:
        released = threading.Event()

        def respond(request: Seen, handler: BaseHTTPRequestHandler, _: int) -> None:
            if request.path.endswith("/events"):
                return send(handler, 200, {})
            released.wait(20)

        with FakeServer(respond) as server:
            with self.assertRaisesRegex(tidemark.JobTimeoutError, "continues on the server"):
                crawl_of(server).wait(timeout=0.3)
            released.set()

    def test_pages_wait_for_further_rows_while_the_job_runs(self) -> None:
        responses = [
            envelope(status="running", data=[{"url": "a"}], next="x", cursor="1"),
            envelope(status="running", data=[], next="x", cursor="1"),
            envelope(data=[{"url": "b"}]),
        ]
        with FakeServer(lambda _, handler, count: send(handler, 200, responses[count - 1])) as server:
            self.assertEqual([row["url"] for row in crawl_of(server).pages(formats="none")], ["a", "b"])
            self.assertTrue(all(one.path.endswith("cursor=1") for one in server.seen[1:]))

    def test_events_are_parsed_across_comments_and_lines(self) -> None:
        lines = iter([b": x\n", b"\n", b"id: 7\r\n", b"event: page\r\n", b"data: {\n", b"data:}\n", b"\n", b"data: cut"])
        self.assertEqual(list(parse_events(lines)), [("page", "7", "{\n}")])


if __name__ == "__main__":
    unittest.main()
