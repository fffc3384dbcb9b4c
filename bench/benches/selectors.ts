import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openBlobs } from '@tidemark/blobs';
import { PageBodies, type PageRow } from '@tidemark/contracts/page/v1/page';
import { readPage, USUAL_CONTENT } from '@tidemark/page-reader';
import { pageRow } from '@tidemark/testkit';
import { ReadPool } from '../../services/scrape/src/reader/read-pool.ts';
import { makeMatchPages } from '../../services/scrape/src/stored/match-pages.ts';
import { sitePages } from '../shared/generated-pages.ts';
import { benchPage } from '../shared/sample-page.ts';

/**
 * Measures how many stored pages, bodies included, selectors are matched on per second of CPU: `npm run bench --
 * selectors`. One reading thread; the CPU is that of the whole process.
 */
const PAGES = 400;
const PER_CALL = 200;
const SELECTORS = {
  'one class': ['.nav-link'],
  'ten of css': [
    'h1',
    'h2',
    'p',
    'a[href]',
    'main p',
    'article > p',
    'li:first-child',
    '[data-block]',
    'img',
    'table td',
  ],
  'one of xpath': ['//h2'],
  'css and xpath': ['h1', 'main p a', 'a[href^="/"]', '//article//p', '//a/@href'],
};

const folder = mkdtempSync(join(tmpdir(), 'tidemark-match-rate-'));
const blobUrl = pathToFileURL(folder).href;

async function store(html: string, nth: number): Promise<PageRow> {
  const { markdown, text, cleanHtml } = readPage({
    html,
    url: 'https://site.example/',
    content: USUAL_CONTENT,
    outputs: new Set(['markdown', 'text', 'cleanHtml']),
  });
  const bodies = PageBodies.encode({ markdown, text, cleanHtml, rawHtml: `${html}<!-- ${nth} -->` }).finish();
  return pageRow({ id: `cap_${nth}`, content: await openBlobs(blobUrl).put(bodies) });
}

async function measure(name: string, html: (nth: number) => string): Promise<void> {
  const rows = await Promise.all(Array.from({ length: PAGES }, (_, nth) => store(html(nth), nth)));
  const reader = new ReadPool({ threads: 1, blobUrl });
  const match = makeMatchPages({
    runStored: (task, workspaceId) => reader.runStored(task, { priority: 'stored', workspaceId }),
  });
  const budget = { workspaceId: '', remainingMs: () => 60_000, signal: new AbortController().signal };
  for (const [what, selectors] of Object.entries(SELECTORS)) {
    for (const samples of [0, 3]) {
      await match({ selectors, pages: rows.slice(0, PER_CALL), samples }, budget);
      const before = process.cpuUsage();
      const startedAtMs = performance.now();
      let seen = 0;
      for (let from = 0; from < PAGES; from += PER_CALL) {
        const { pages } = await match({ selectors, pages: rows.slice(from, from + PER_CALL), samples }, budget);
        seen += pages.filter(({ hasHtml, error }) => hasHtml && error === '').length;
      }
      const { user, system } = process.cpuUsage(before);
      const cpuSeconds = (user + system) / 1e6;
      const wallSeconds = (performance.now() - startedAtMs) / 1000;
      const rate = `${Math.round(seen / cpuSeconds)} pages/s of CPU, ${Math.round(seen / wallSeconds)} by the clock`;
      process.stdout.write(`${name}, ${what}, ${samples} samples: ${rate}\n`);
    }
  }
  await reader.close();
}

try {
  const made = benchPage();
  await measure(`made page of ${Math.round(made.length / 1000)} KB`, () => made);
  const pages = sitePages().map(({ body }) => Buffer.from(body).toString());
  await measure(`${pages.length} pages of the test site`, (nth) => pages[nth % pages.length] ?? '');
} finally {
  rmSync(folder, { recursive: true, force: true });
}
