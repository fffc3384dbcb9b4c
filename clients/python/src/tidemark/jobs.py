"""Batches and crawls: they run on the server, and continue there when this program ends."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar, Unpack, cast

from .errors import JobTimeoutError, NetworkError, TidemarkError, UnexpectedError
from .generated.contract import CrawlEnvelope, CrawlPage, JobEnvelope, KeepRequest, KeptCrawl, PageRow
from .paging import check_advance, items
from .transport import Transport

Envelope = TypeVar("Envelope", JobEnvelope, CrawlEnvelope)
Formats = str | list[str]

POLL_SECONDS = 5.0
# The server sends a comment every 15 s; without bytes for this time the connection is considered broken.
STALL_SECONDS = 45.0
MAX_FAILURES = 5
MAX_PAUSE_SECONDS = 10.0
ROWS = 100


@dataclass(frozen=True)
class JobEvent:
    """An event of a job. The rows of ``page`` events have no bodies."""

    event: Literal["progress", "page", "done"]
    data: dict[str, Any]
    #: Of a ``page`` event: continues the stream after it.
    id: str | None = None


@dataclass(frozen=True)
class PageList:
    """The rows of one response, and the cursor to continue after them."""

    data: list[PageRow]
    cursor: str


def _is_transient(error: TidemarkError) -> bool:
    return error.status == 429 or error.status >= 500 or error.code in ("network", "timeout")


def _backoff(tries: int, longest: float) -> float:
    return min(longest, 0.5 * 1.5**tries)


def parse_events(lines: Iterator[bytes]) -> Iterator[tuple[str, str | None, str]]:
    """Parses server-sent events: name, id and data.

    https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
    """
    name, identifier, data = "message", None, None
    for raw in lines:
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        if line == "":
            if data is not None:
                yield name, identifier, data
            name, identifier, data = "message", None, None
            continue
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            name = value
        elif field == "id":
            identifier = value
        elif field == "data":
            data = value if data is None else f"{data}\n{value}"


class Job(Generic[Envelope]):
    """A job of the server."""

    _route = "/scrape/{id}"
    #: Query with which the state is read without bodies.
    _state_query: Mapping[str, Any] = {"limit": 1}

    def __init__(self, transport: Transport, id: str, started: Envelope | None = None) -> None:
        self.id = id
        #: The response that started the job, with its ``webhookSecret``; None for a job that was opened by its id.
        self.started: Envelope | None = started
        self._transport = transport
        self._path = {"id": id}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.id!r})"

    def read(self) -> Envelope:
        """Reads the state of the job, with at most one row."""
        return self._read(None)

    def _read(self, deadline: float | None) -> Envelope:
        seconds = None if deadline is None else max(0.1, deadline - time.monotonic())
        envelope = self._transport.call(f"GET {self._route}", self._path, self._state_query, timeout=seconds)
        return cast(Envelope, envelope)

    def cancel(self) -> Envelope:
        return cast(Envelope, self._transport.call(f"DELETE {self._route}", self._path))

    def wait(
        self, *, timeout: float | None = None, on_progress: Callable[[Mapping[str, Any]], None] | None = None
    ) -> Envelope:
        """Waits for the end of the job and returns its state, whatever its status.

        Reads the event stream; polls where that is not available.

        :param timeout: seconds after which ``JobTimeoutError`` is raised; the job continues on the server
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        try:
            for event in self.events(deadline=deadline):
                if event.event == "progress" and on_progress is not None:
                    on_progress(event.data)
        except UnexpectedError:
            pass  # No event stream: a proxy or an older server.
        except TidemarkError as error:
            if not _is_transient(error):
                raise
        return self._poll(deadline, on_progress)

    def _poll(self, deadline: float | None, on_progress: Callable[[Mapping[str, Any]], None] | None) -> Envelope:
        tries = failures = 0
        while True:
            try:
                envelope = self._read(deadline)
                failures = 0
                if envelope["status"] not in ("queued", "running"):
                    return envelope
                if on_progress is not None:
                    on_progress(envelope)
            except TidemarkError as error:
                failures += 1
                if not _is_transient(error) or failures > MAX_FAILURES:
                    raise
            self._sleep(_backoff(tries, POLL_SECONDS), deadline)
            tries += 1

    def _late(self) -> JobTimeoutError:
        return JobTimeoutError(f"the job {self.id} has not ended; it continues on the server", code="job_timeout")

    def _sleep(self, seconds: float, deadline: float | None) -> None:
        if deadline is not None and time.monotonic() + seconds > deadline:
            raise self._late()
        time.sleep(seconds)

    def events(self, *, after: str | None = None, deadline: float | None = None) -> Iterator[JobEvent]:
        """Yields the events of the job until it ends. Reconnects after the last one that was read.

        :param after: id of the last ``page`` event that was read
        :param deadline: ``time.monotonic()`` at which ``JobTimeoutError`` is raised
        """
        last, failures = after, 0
        while True:
            before = last
            try:
                for event in self._connection(last, deadline):
                    if event.event == "page":
                        last = event.id
                    yield event
                    if event.event == "done":
                        return
            except TidemarkError as error:
                if not _is_transient(error) or failures >= MAX_FAILURES:
                    raise
            failures = failures + 1 if last == before else 0
            self._sleep(_backoff(failures, MAX_PAUSE_SECONDS), deadline)

    def _connection(self, last: str | None, deadline: float | None) -> Iterator[JobEvent]:
        seconds = STALL_SECONDS
        if deadline is not None:
            seconds = min(seconds, max(0.1, deadline - time.monotonic()))
        headers = {} if last is None else {"last-event-id": last}
        stream = self._transport.call(f"GET {self._route}/events", self._path, headers=headers, timeout=seconds)
        if not hasattr(stream, "lines"):
            raise UnexpectedError("the response is no event stream", code="unexpected")
        try:
            for name, identifier, text in parse_events(stream.lines()):
                data = json.loads(text)
                if name == "closed":
                    status = 503 if data["code"] in ("unavailable", "internal") else 401
                    raise TidemarkError(data["error"], code=data["code"], status=status)
                if name in ("progress", "page", "done"):
                    yield JobEvent(cast(Any, name), data, identifier)
                if deadline is not None and time.monotonic() > deadline:
                    raise self._late()
        except JobTimeoutError:
            raise
        except (OSError, http.client.HTTPException, ValueError) as error:
            if isinstance(error, TimeoutError) and deadline is not None and time.monotonic() >= deadline:
                raise self._late() from error
            raise NetworkError(f"the event stream ended unexpectedly: {error!r}", code="network") from error
        finally:
            stream.close()

    def lists(
        self, *, formats: Formats | None = None, limit: int = ROWS, cursor: str = "", **query: Any
    ) -> Iterator[PageList]:
        """Yields lists of rows with a cursor: ``lists(cursor=…)`` continues after one in another process."""
        last, idle = cursor, 0
        while True:
            given = {"formats": formats, "limit": limit, "cursor": last, **query}
            page = self._transport.call(f"GET {self._route}", self._path, given)
            rows, received = page["data"], page["cursor"]
            if page["next"] is not None:
                check_advance(last, received, len(rows))
            last = received or last
            if rows:
                yield PageList(rows, last)
            if page["next"] is None:
                return
            idle = 0 if rows else idle + 1
            if idle:
                time.sleep(_backoff(idle, POLL_SECONDS))

    def pages(
        self, *, formats: Formats | None = None, limit: int = ROWS, cursor: str = "", **query: Any
    ) -> Iterator[PageRow]:
        """Yields the rows of the job as they are consumed, and waits for further rows while it runs."""
        for part in self.lists(formats=formats, limit=limit, cursor=cursor, **query):
            yield from part.data


class Batch(Job[JobEnvelope]):
    """A batch, or a single scrape that continues after its response."""


class Crawl(Job[CrawlEnvelope]):
    """A crawl."""

    _route = "/crawl/{id}"
    _state_query = {"limit": 1, "formats": "none"}

    def page(self, url: str) -> CrawlPage:
        """Returns one page with all its bodies."""
        return cast(CrawlPage, self._transport.call("GET /crawl/{id}/page", self._path, {"url": url}))

    def links(self, kind: Literal["orphans", "unlisted", "dead_ends"] = "orphans") -> Iterator[dict[str, Any]]:
        """Yields a set of pages of the link graph."""
        return items(self._transport, "GET /crawl/{id}/links", self._path, {"kind": kind})

    def pause(self) -> CrawlEnvelope:
        return cast(CrawlEnvelope, self._transport.call("POST /crawl/{id}/pause", self._path, body={}))

    def resume(self) -> CrawlEnvelope:
        return cast(CrawlEnvelope, self._transport.call("POST /crawl/{id}/resume", self._path, body={}))

    def keep(self, **settings: Unpack[KeepRequest]) -> KeptCrawl:
        """Turns the crawl into a project: ``keep(name=…, schedule=…, retention=…)``."""
        return cast(KeptCrawl, self._transport.call("POST /crawl/{id}/keep", self._path, body=settings))
