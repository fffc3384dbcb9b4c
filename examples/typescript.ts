// Captures a page, crawls a site, and turns the crawl into a project whose changes are recorded:
//
//   TIDEMARK_BASE_URL=http://127.0.0.1:8787/v1 TIDEMARK_API_KEY=service_… node examples/typescript.ts https://example.com/
import { Tidemark, TidemarkError } from '@tidemark/sdk';

const [url = 'https://example.com/'] = process.argv.slice(2);
const client = new Tidemark();

try {
  const page = await client.scrape(url, { formats: ['markdown'] });
  console.log(`${page.url}: ${page.verdict}, ${page.words} words, ${page.credits} credits`);

  const crawl = await client.crawl.start(url, { limit: 20, scrapeOptions: { formats: ['markdown'] } });
  const ended = await crawl.wait({ onProgress: ({ progress }) => console.error(`${progress.done}/${progress.total}`) });
  for await (const row of crawl.pages())
    console.log(`${row.verdict} ${row.url} ${row.markdown?.length ?? 0} characters`);
  console.log(`the crawl ended as ${ended.status} (${ended.stop}), ${ended.creditsUsed} credits`);

  const { id } = await crawl.keep({ name: 'Example', schedule: 'daily' });
  console.log(`kept as ${id}`);
} catch (error) {
  if (!(error instanceof TidemarkError)) throw error;
  console.error(`${error.code}: ${error.message} (request ${error.requestId})`);
  process.exitCode = 1;
}
