from __future__ import annotations

import unittest
from http.server import BaseHTTPRequestHandler

from fake_server import FakeServer, Seen, send

from tidemark import Tidemark


def respond_with(*states: str | None):  # type: ignore[no-untyped-def]
    """The record of the newest full run, run_2, has these states, one for each request; once it was returned, a newer run ends."""
    left = list(states)

    def respond(request: Seen, handler: BaseHTTPRequestHandler, _: int) -> None:
        base = {"next": None, "cursor": None, "request_id": "req_1"}
        if "run_id=run_2" not in request.path and len(left) < len(states):
            send(handler, 200, {**base, "status": "made", "runId": "run_3", "entries": [{"id": "later"}]})
        else:
            status = left.pop(0) if len(left) > 1 else left[0]
            entries = [{"id": "newest"}] if status == "made" else []
            send(handler, 200, {**base, "status": status, "runId": status and "run_2", "entries": entries})

    return respond


class Records(unittest.TestCase):
    def test_change_entries_are_of_the_newest_run_also_while_its_record_is_not_made(self) -> None:
        with FakeServer(respond_with("making", "making", "made")) as server:
            project = Tidemark("service_secret", base_url=server.base_url).projects.of("prj_1")
            self.assertEqual([entry["id"] for entry in project.change_entries()], ["newest"])

    def test_a_record_that_is_not_made_in_time_is_returned_as_it_is(self) -> None:
        with FakeServer(respond_with("making")) as server:
            project = Tidemark("service_secret", base_url=server.base_url).projects.of("prj_1")
            self.assertEqual(project.record("run_2", timeout=0.6)["status"], "making")


if __name__ == "__main__":
    unittest.main()
