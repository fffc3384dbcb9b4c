from __future__ import annotations

import gzip
import json
import unittest
from http.server import BaseHTTPRequestHandler
from typing import Any

from fake_server import FakeServer, Seen, envelope, failure, send

import tidemark
from tidemark import Tidemark

URL = "https://example.com/"


def failing(*statuses: int) -> FakeServer:
    """Answers with these statuses in turn, then with success. 0 closes the connection."""

    def respond(_: Seen, handler: BaseHTTPRequestHandler, count: int) -> None:
        status = statuses[count - 1] if count <= len(statuses) else 200
        if status == 200:
            send(handler, 200, envelope(data=[{"url": URL}]))
        elif status == 0:
            handler.connection.close()
        else:
            send(handler, status, failure("unavailable"), retry_after="0")

    return FakeServer(respond)


def client_of(server: FakeServer, **options: Any) -> Tidemark:
    return Tidemark("service_secret", base_url=server.base_url, **options)


class Calls(unittest.TestCase):
    def test_a_get_is_repeated_twice_after_statuses_that_pass(self) -> None:
        for status in (429, 502, 503, 504, 0):
            with self.subTest(status=status), failing(status, status) as server:
                client_of(server).api.get_me()
                self.assertEqual([one.path for one in server.seen], ["/v1/me"] * 3)

    def test_the_third_failure_is_raised_as_the_class_of_its_code(self) -> None:
        with failing(503, 503, 503, 503) as server:
            with self.assertRaises(tidemark.UnavailableError) as caught:
                client_of(server).api.get_me()
            self.assertEqual(len(server.seen), 3)
        error = caught.exception
        self.assertEqual((error.code, error.status, error.request_id, error.retry_after), ("unavailable", 503, "req_1", 0))
        self.assertEqual(str(error), "refused: unavailable (unavailable, request req_1)")

    def test_other_statuses_are_not_repeated(self) -> None:
        with failing(500) as server:
            with self.assertRaises(tidemark.TidemarkError):
                client_of(server).api.get_me()
            self.assertEqual(len(server.seen), 1)

    def test_a_post_that_accepts_a_key_is_repeated_with_the_same_key(self) -> None:
        with failing(503, 0) as server:
            client_of(server).scrape(URL, max_age=60, webhook_url="https://hooks.example/")
            keys = [one.headers["idempotency-key"] for one in server.seen]
            self.assertEqual(keys, [keys[0]] * 3)
            sent = json.loads(server.seen[2].body)
            self.assertEqual(sent, {"maxAge": 60, "webhook_url": "https://hooks.example/", "url": URL})

    def test_a_post_that_accepts_no_key_is_not_repeated(self) -> None:
        with failing(503) as server:
            with self.assertRaises(tidemark.UnavailableError):
                client_of(server).projects.of("prj_1").run()
            self.assertEqual(len(server.seen), 1)

    def test_a_request_without_response_ends_with_the_code_timeout(self) -> None:
        import threading

        released = threading.Event()
        with FakeServer(lambda _, __, ___: released.wait(20) and None) as server:
            with self.assertRaises(tidemark.RequestTimeoutError) as caught:
                client_of(server, timeout=0.2).api.get_me()
            released.set()
            self.assertEqual((caught.exception.code, len(server.seen)), ("timeout", 1))

    def test_every_error_is_a_tidemark_error_and_timeouts_are_also_the_built_in_class(self) -> None:
        classes = [one for one in vars(tidemark).values() if isinstance(one, type) and issubclass(one, Exception)]
        self.assertGreater(len(classes), 15)
        for one in classes:
            self.assertTrue(issubclass(one, tidemark.TidemarkError), one)
        for late in (tidemark.RequestTimeoutError, tidemark.JobTimeoutError):
            self.assertTrue(issubclass(late, TimeoutError), late)
            self.assertEqual(late("late", code="timeout").code, "timeout")

    def test_path_values_that_lead_to_another_route_are_refused_before_a_request(self) -> None:
        with failing() as server:
            client = client_of(server)
            for value in (".", "..", "", "prj_1\n", "prj_\x00", "\ud800", None):
                for call in (
                    lambda: client.api.get_project(value),  # type: ignore[arg-type]  # noqa: B023
                    lambda: list(client.projects.of(value).pages()),  # type: ignore[arg-type]  # noqa: B023
                    lambda: client.open_crawl(value).read(),  # type: ignore[arg-type]  # noqa: B023
                ):
                    with self.assertRaises(tidemark.InvalidPathError, msg=repr(value)):
                        call()
            self.assertEqual(server.seen, [])
            for value in ("...", "../me", "%2e%2e", "a?b"):
                client.api.get_project(value)
            for seen in server.seen:
                self.assertRegex(seen.path, r"^/v1/projects/[^/?#]+$")

    def test_a_redirect_is_refused_so_that_no_other_host_receives_the_key(self) -> None:
        with FakeServer(lambda _, handler, __: send(handler, 302, b"", location="http://127.0.0.1:9/")) as server:
            with self.assertRaises(tidemark.UnexpectedError):
                client_of(server).api.get_me()

    def test_values_that_can_not_be_sent_are_refused_before_a_request(self) -> None:
        with self.assertRaisesRegex(ValueError, "no http or https URL"):
            Tidemark("service_secret", base_url="tidemark.example/v1")
        with self.assertRaisesRegex(TypeError, "list of URLs"):
            Tidemark("service_secret", base_url="http://127.0.0.1:9/v1").batch(URL)

    def test_json_that_is_cut_is_read_again(self) -> None:
        def respond(_: Seen, handler: BaseHTTPRequestHandler, count: int) -> None:
            send(handler, 200, b'{"id": "ws' if count == 1 else {"id": "ws_1"})

        with FakeServer(respond) as server:
            self.assertEqual(client_of(server).api.get_me()["id"], "ws_1")
            self.assertEqual(len(server.seen), 2)

    def test_a_page_of_a_proxy_is_reported_as_unexpected(self) -> None:
        with FakeServer(lambda _, handler, __: send(handler, 200, b"<p>", content_type="text/html")) as server:
            with self.assertRaisesRegex(tidemark.UnexpectedError, "check the base URL"):
                client_of(server).api.get_me()

    def test_compressed_responses_are_read_and_queries_are_written_as_the_contract_states(self) -> None:
        def respond(_: Seen, handler: BaseHTTPRequestHandler, __: int) -> None:
            send(handler, 200, gzip.compress(b'{"data":[],"cursor":null}'), content_encoding="gzip")

        with FakeServer(respond) as server:
            client_of(server, workspace="ws_1").api.list_pages("a/b", q="a b", flag=None, limit=5)
            self.assertEqual(server.seen[0].headers["x-service-tenant"], "ws_1")
            self.assertEqual(server.seen[0].path, "/v1/projects/a%2Fb/pages?q=a+b&limit=5")
            self.assertEqual(server.seen[0].headers["accept-encoding"], "gzip")

    def test_a_file_is_a_response_that_is_read_in_pieces(self) -> None:
        with FakeServer(lambda _, handler, __: send(handler, 200, b'{"url":1}\n', content_type="text/csv")) as server:
            with client_of(server).projects.of("prj_1").export("pages", format="csv") as file:
                self.assertEqual(b"".join(file), b'{"url":1}\n')


class Lists(unittest.TestCase):
    def test_pages_are_requested_as_they_are_consumed_and_links_are_not_followed(self) -> None:
        def respond(request: Seen, handler: BaseHTTPRequestHandler, count: int) -> None:
            data = [{"id": f"prj_{count}a"}, {"id": f"prj_{count}b"}]
            send(handler, 200, {"data": data, "next": "https://elsewhere.example/", "cursor": str(count)})

        with FakeServer(respond) as server:
            ids = []
            for project in client_of(server).projects.list():
                ids.append(project["id"])
                if len(ids) == 3:
                    break
            self.assertEqual(ids, ["prj_1a", "prj_1b", "prj_2a"])
            self.assertEqual([one.path for one in server.seen], ["/v1/projects", "/v1/projects?cursor=1"])

    def test_a_cursor_that_does_not_advance_is_raised(self) -> None:
        with FakeServer(lambda _, handler, __: send(handler, 200, {"data": [{}], "cursor": "same"})) as server:
            with self.assertRaises(tidemark.StalledCursorError):
                list(client_of(server).list("GET /webhooks"))


if __name__ == "__main__":
    unittest.main()
