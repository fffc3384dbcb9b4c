"""Uses a running fleet: ``against_fleet.py <origin of the harbour site>``. A test of the repository starts both."""

from __future__ import annotations

import sys
import unittest
from urllib.parse import urlsplit

import tidemark
from tidemark import Tidemark

ORIGIN = sys.argv.pop()


def paths(rows: object) -> list[str]:
    return [urlsplit(row["url"]).path for row in rows]  # type: ignore[attr-defined]


class Fleet(unittest.TestCase):
    client = Tidemark()

    def test_scrape_returns_the_row_of_a_page(self) -> None:
        page = self.client.scrape(f"{ORIGIN}/prices", formats=["markdown", "links"])
        self.assertEqual((page["verdict"], page["title"]), ("ok", "Prices"))
        self.assertIn("crowns a night", page["markdown"] or "")

    def test_a_batch_yields_a_row_for_each_url(self) -> None:
        batch = self.client.batch([f"{ORIGIN}/", f"{ORIGIN}/prices"], formats="markdown")
        self.assertEqual(batch.wait(timeout=60)["status"], "done")
        self.assertEqual(paths(batch.pages(limit=1, order="input")), ["/", "/prices"])

    def test_map_returns_the_urls_of_the_sitemap(self) -> None:
        self.assertEqual(paths(self.client.map(ORIGIN)["data"]), ["/", "/prices", "/hidden"])

    def test_a_crawl_is_followed_continued_from_a_cursor_and_kept(self) -> None:
        crawl = self.client.crawl(f"{ORIGIN}/", max_depth=3)
        rows = paths(crawl.pages(formats="none"))
        self.assertEqual(sorted(rows), ["/", "/gone", "/hidden", "/marees", "/prices"])
        again = self.client.open_crawl(crawl.id)
        self.assertEqual(again.wait(timeout=60)["stop"], "finished")
        first = next(again.lists(limit=2, formats="none"))
        rest = paths(again.pages(cursor=first.cursor, formats="none"))
        self.assertEqual(paths(first.data) + rest, rows)
        self.assertEqual(again.page(f"{ORIGIN}/prices")["title"], "Prices")
        self.assertEqual(paths(again.links("orphans")), ["/hidden"])
        project = self.client.projects.of(again.keep(name="Harbour")["id"])
        self.assertEqual(project.get()["name"], "Harbour")
        self.assertEqual(sorted(paths(project.pages(q="verdict:ok"))), ["/", "/hidden", "/marees", "/prices"])
        with project.export("pages", format="csv") as file:
            self.assertIn(b'"url"', file.read().splitlines()[0])
        self.assertIn(project.id, [one["id"] for one in self.client.projects.list()])
        run = project.run()
        self.assertEqual(run.wait(timeout=60)["status"], "done")

    def test_errors_have_the_class_of_their_code(self) -> None:
        with self.assertRaises(tidemark.NotFoundError) as caught:
            self.client.open_crawl("run_01j5xq2w8se6fa7t0a6q1n3k2m").wait()
        self.assertTrue(caught.exception.request_id)
        with self.assertRaises(tidemark.UnauthorizedError):
            Tidemark("service_wrong").api.get_me()
        with self.assertRaises(tidemark.ValidationError) as refused:
            self.client.api.start_map({"url": "no url at all", "limit": -1})
        self.assertEqual({part["loc"][-1] for part in refused.exception.detail}, {"url", "limit"})

    def test_reads_of_every_operation_without_parameters_are_answered(self) -> None:
        api = self.client.api
        for read in (api.get_me, api.get_usage, api.get_monitor, api.list_keys, api.get_meta, api.list_exports):
            self.assertIsInstance(read(), dict)


if __name__ == "__main__":
    unittest.main()
