"""Captures a page, crawls a site, and turns the crawl into a project whose changes are recorded.

    TIDEMARK_BASE_URL=http://127.0.0.1:8787/v1 TIDEMARK_API_KEY=service_… python3 examples/python.py https://example.com/
"""

import sys

from tidemark import Tidemark, TidemarkError

url = sys.argv[1] if len(sys.argv) > 1 else "https://example.com/"

try:
    with Tidemark() as client:
        page = client.scrape(url, formats=["markdown"])
        print(f"{page['url']}: {page['verdict']}, {page['words']} words, {page['credits']} credits")

        crawl = client.crawl(url, limit=20, scrape_options={"formats": ["markdown"]})
        ended = crawl.wait(on_progress=lambda state: print(state["progress"], file=sys.stderr))
        for row in crawl.pages():
            print(row["verdict"], row["url"], len(row.get("markdown") or ""), "characters")
        print(f"the crawl ended as {ended['status']} ({ended['stop']}), {ended['creditsUsed']} credits")

        kept = crawl.keep(name="Example", schedule="daily")
        print(f"kept as {kept['id']}")
except TidemarkError as error:
    sys.exit(str(error))
