"""The client."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping
from types import TracebackType
from typing import Any, Unpack, cast

from .errors import UnexpectedError
from .generated.api import Api
from .generated.contract import (
    CRAWL_OPTIONS_NAMES,
    MAP_OPTIONS_NAMES,
    SCRAPE_OPTIONS_NAMES,
    CrawlOptionsArguments,
    MapEnvelope,
    MapOptionsArguments,
    PageRow,
    ScrapeOptionsArguments,
)
from .jobs import Batch, Crawl
from .paging import items
from .projects import Projects
from .transport import MAX_RETRIES, TIMEOUT, Transport

DEFAULT_BASE_URL = "http://127.0.0.1:8787/v1"
MAP_POLL_SECONDS = 1.0
MAP_ROWS = 1_000


def _renamed(options: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Returns keyword arguments under the names of the contract: ``max_age`` as ``maxAge``."""
    return {names.get(name, name): value for name, value in options.items()}


class Tidemark:
    """A client of the API with one key. Threads can share it.

    :param api_key: by default ``TIDEMARK_API_KEY`` of the environment
    :param base_url: the API root with its version prefix; by default ``TIDEMARK_BASE_URL`` of the environment
    :param timeout: seconds without a byte of the response after which a request fails
    :param max_retries: further tries after 429, 502, 503, 504 and network errors of requests that are safe to repeat
    :param workspace: id of a sub-account of the workspace of the key, in which all calls act
    """

    def __init__(
        self,
        api_key: str | None = None,
        *,
        base_url: str | None = None,
        timeout: float = TIMEOUT,
        max_retries: int = MAX_RETRIES,
        workspace: str | None = None,
    ) -> None:
        key = os.environ.get("TIDEMARK_API_KEY", "") if api_key is None else api_key
        root = base_url or os.environ.get("TIDEMARK_BASE_URL") or DEFAULT_BASE_URL
        self._transport = Transport(key, root, timeout=timeout, max_retries=max_retries, workspace=workspace)
        #: Every operation of the API, by its id: ``client.api.get_usage()``.
        self.api = Api(self._transport.call)
        self.projects = Projects(self._transport, self.api)

    def __enter__(self) -> Tidemark:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Does nothing: no connection is held between requests."""

    def scrape(self, url: str, **options: Unpack[ScrapeOptionsArguments]) -> PageRow:
        """Captures one page; continues to wait when the time of the request runs out.

        A refused page is a row with its verdict. Raises if the job ends without a page.
        """
        body = {**_renamed(options, SCRAPE_OPTIONS_NAMES), "url": url}
        ended = self._transport.call("POST /scrape", body=body)
        if ended["status"] in ("queued", "running"):
            ended = Batch(self._transport, ended["id"]).wait()
        if ended["data"]:
            return cast(PageRow, ended["data"][0])
        message = ended["error"] or f"the job {ended['id']} ended with status {ended['status']} and no page"
        raise UnexpectedError(message, code="unexpected", request_id=ended["request_id"])

    def batch(self, urls: Iterable[str], **options: Unpack[ScrapeOptionsArguments]) -> Batch:
        """Starts a batch of at most 500 URLs."""
        if isinstance(urls, str):
            raise TypeError("urls is a list of URLs; scrape(url) captures one page")
        body = {**_renamed(options, SCRAPE_OPTIONS_NAMES), "urls": list(urls)}
        started = self._transport.call("POST /scrape", body=body)
        return Batch(self._transport, started["id"], started)

    def crawl(self, url: str, **options: Unpack[CrawlOptionsArguments]) -> Crawl:
        """Starts a crawl."""
        started = self._transport.call("POST /crawl", body={**_renamed(options, CRAWL_OPTIONS_NAMES), "url": url})
        return Crawl(self._transport, started["id"], started)

    def open_batch(self, id: str) -> Batch:
        return Batch(self._transport, id)

    def open_crawl(self, id: str) -> Crawl:
        return Crawl(self._transport, id)

    def map(self, url: str, **options: Unpack[MapOptionsArguments]) -> MapEnvelope:
        """Returns the URLs that a site declares: all rows up to ``limit``, whatever the time the map takes."""
        found = self._transport.call("POST /map", body={**_renamed(options, MAP_OPTIONS_NAMES), "url": url})
        path, query = {"id": found["id"]}, {"limit": MAP_ROWS}
        while found["status"] in ("queued", "running"):
            time.sleep(MAP_POLL_SECONDS)
            found = self._transport.call("GET /map/{id}", path, query)
        if found["cursor"] is not None:
            rows = list(items(self._transport, "GET /map/{id}", path, query))
            found = {**found, "data": rows, "next": None, "cursor": None}
        return cast(MapEnvelope, found)

    def list(self, route: str, path: Mapping[str, Any] | None = None, **query: Any) -> Iterator[Any]:
        """Yields the items of any list of the API: ``client.list("GET /webhooks")``."""
        return items(self._transport, route, path, query)
