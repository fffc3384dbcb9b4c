"""Projects: sites that are captured repeatedly."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, Unpack, cast

from .generated.api import Api
from .generated.contract import (
    AlertPreview,
    Change,
    ChangeRecord,
    FoundPages,
    IgnoredChange,
    NewProject,
    OverruledChange,
    PageBlame,
    PageRow,
    PageVersion,
    Project,
    ProjectPatch,
    ProjectSettingsArguments,
    ProjectSummary,
    RunEnvelope,
    RunSummary,
    StoredPage,
)
from .jobs import Crawl
from .paging import items
from .response import Response
from .transport import Transport

RECORD_POLL_SECONDS = 0.5


class ProjectHandle:
    """A project by its id."""

    def __init__(self, transport: Transport, api: Api, id: str) -> None:
        self.id = id
        self._transport = transport
        self._api = api
        self._path = {"id": id}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.id!r})"

    def get(self) -> Project:
        return self._api.get_project(self.id)

    def update(self, **patch: Unpack[ProjectPatch]) -> Project:
        """Changes settings: ``update(schedule="daily", config={"max_pages": 50})``. A key of ``config`` with None returns to its default."""
        return self._api.patch_project(self.id, patch)

    def delete(self) -> None:
        self._api.delete_project(self.id)

    def run(self) -> Crawl:
        """Starts a run. Its pages and events are those of a crawl."""
        started: RunEnvelope = self._api.start_run(self.id)
        return Crawl(self._transport, started["id"])

    def runs(self, *, limit: int = 25) -> Iterator[RunSummary]:
        return items(self._transport, "GET /projects/{id}/runs", self._path, {"limit": limit})

    def pages(self, **query: Any) -> Iterator[PageRow]:
        """Yields the rows of a run, by default of the latest that has ended: ``pages(q="verdict:blocked")``."""
        return items(self._transport, "GET /projects/{id}/pages", self._path, query)

    def page(self, url: str, **query: Any) -> StoredPage:
        return self._api.get_page_content(self.id, url=url, **query)

    def versions(self, url: str, **query: Any) -> Iterator[PageVersion]:
        """Yields the versions of a page over time, newest first."""
        return items(self._transport, "GET /projects/{id}/pages/versions", self._path, {"url": url, **query})

    def blame(self, url: str, **query: Any) -> PageBlame:
        """Returns when each block of a page appeared and was last edited."""
        return self._api.get_page_blame(self.id, url=url, **query)

    def search(self, q: str, **options: Any) -> FoundPages:
        return self._api.search_pages(self.id, cast(Any, {"q": q, **options}))

    def recrawl(self, urls: list[str]) -> Crawl:
        return Crawl(self._transport, self._api.recrawl_pages(self.id, {"urls": urls})["id"])

    def changes(self, **query: Any) -> ChangeRecord:
        """Returns the change record with its first entries as it is now.

        Its status is ``making`` for some seconds after the end of the run.
        """
        return self._api.get_changes(self.id, **query)

    def record(self, run_id: str | None = None, *, timeout: float = 120.0, **query: Any) -> ChangeRecord:
        """Waits for the change record of a run and returns it with its first entries.

        The record of a run is made within seconds after its end.

        :param run_id: by default the newest full run that is done
        :param timeout: seconds after which the record is returned as it is, with the status ``making``
        """
        run = run_id
        started = time.monotonic()
        while True:
            record = self._api.get_changes(self.id, **query, **({} if run is None else {"run_id": run}))
            is_late = time.monotonic() - started + RECORD_POLL_SECONDS > timeout
            if record["status"] != "making" or is_late:
                return record
            # The record of the same run, also where a newer one ends meanwhile.
            run = record["runId"] or run
            time.sleep(RECORD_POLL_SECONDS)

    def change_entries(self, run_id: str | None = None, **query: Any) -> Iterator[Change]:
        """Yields every entry of the change record of a run, by default of the newest full run that is done.

        Waits until the record is made.
        """
        run = self.record(run_id, limit=1)["runId"]
        if run is not None:
            yield from items(self._transport, "GET /projects/{id}/changes", self._path, {**query, "run_id": run})

    def ignored_changes(self, **query: Any) -> Iterator[IgnoredChange]:
        """Yields the ignored changes of the change record."""
        return items(self._transport, "GET /projects/{id}/changes/ignored", self._path, query)

    def preview_alert(self, when: str, **body: Any) -> AlertPreview:
        """Evaluates an alert rule over the stored changes, without saving it."""
        return self._api.preview_alert(self.id, {"when": when, **body})

    def overrule(self, ignored: str, ignore: bool) -> OverruledChange:
        """Decides for good whether changes of the place of an ignored change are ignored or reported."""
        return self._api.overrule_ignored_change(self.id, ignored, {"ignore": ignore})

    def export(self, dataset: Any, **query: Any) -> Response:
        """Returns a file: ``export("pages", format="csv").save("pages.csv")``."""
        return self._api.export_project(self.id, dataset=dataset, **query)


class Projects:
    """The projects of the workspace."""

    def __init__(self, transport: Transport, api: Api) -> None:
        self._transport = transport
        self._api = api

    def of(self, id: str) -> ProjectHandle:
        return ProjectHandle(self._transport, self._api, id)

    def list(self, **query: Any) -> Iterator[ProjectSummary]:
        return items(self._transport, "GET /projects", None, query)

    def create(self, seed: str, **settings: Unpack[ProjectSettingsArguments]) -> ProjectHandle:
        """Creates a project: ``create(url, name=…, schedule="daily", config={…})``."""
        return self.of(self._api.create_project(cast(NewProject, {"seed": seed, **settings}))["id"])
