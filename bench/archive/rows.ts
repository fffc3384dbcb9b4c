import { createHash } from 'node:crypto';
import { newId } from '@tidemark/contracts';
import { PageRow, type RunPage } from '@tidemark/contracts/page/v1/page';

/** A run of the benchmark. */
export interface BenchRun {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly runId: string;
  readonly site: number;
}

export interface BenchPage {
  readonly row: PageRow;
  readonly known: RunPage;
}

const LANGUAGES = ['en', 'en', 'en', 'de', 'fr', 'ja'];
const SECTIONS = ['blog', 'docs', 'products', 'about', 'news'];
const TOPICS = ['tide', 'harbour', 'season', 'storm', 'channel', 'survey', 'mooring', 'estuary'];
const of = <T>(list: readonly T[], i: number, fallback: T): T => list[i % list.length] ?? fallback;

/** Results of a page: mostly ok, some blocked, some missing. */
function outcome(i: number): Pick<PageRow, 'verdict' | 'errorCode' | 'httpStatus'> {
  if (i % 50 === 7) return { verdict: 'blocked', errorCode: 'BLOCKED', httpStatus: 403 };
  if (i % 40 === 3) return { verdict: 'blocked', errorCode: 'NOT_FOUND', httpStatus: 404 };
  if (i % 30 === 5) return { verdict: 'thin', errorCode: 'OK', httpStatus: 200 };
  return { verdict: 'ok', errorCode: 'OK', httpStatus: 200 };
}

/** Builds the i-th page of a run as scrape and crawl report it. Every run of a project has the same URLs. */
export function pageOf(run: BenchRun, i: number, more: Partial<PageRow> = {}): BenchPage {
  const section = of(SECTIONS, i, 'blog');
  const topic = of(TOPICS, i * 7, 'tide');
  const url = `https://site-${run.site}.example.com/${section}/${topic}-${i}`;
  const ended = outcome(i);
  const row = PageRow.create({
    id: newId('cap'),
    url,
    askedUrl: url,
    ...ended,
    signals: ended.httpStatus === 200 ? ['enough words'] : [`http ${ended.httpStatus}`],
    warnings: i % 25 === 0 ? ['no title'] : [],
    reason: ended.httpStatus === 200 ? 'the page holds an article of its own' : `the site answered ${ended.httpStatus}`,
    method: i % 20 === 0 ? 'browser' : 'http',
    tier: i % 20 === 0 ? 'browser' : 'http',
    credits: i % 20 === 0 ? 5 : 1,
    words: 100 + ((i * 37) % 1_500),
    language: of(LANGUAGES, i, 'en'),
    title: `On the ${topic} of ${section} ${i}`,
    crawledAt: new Date(),
    exitBytes: 0,
    charset: 'utf-8',
    timingsMs: { robots: 0, fetch: 20 + (i % 200), read: 4, store: 1 },
    etag: `"${i}-abcdef"`,
    lastModified: 'Sat, 01 Nov 2025 10:00:00 GMT',
    captureKey: 'a1b2c3d4e5f60718',
    urlKey: createHash('sha256').update(url).digest(),
    formats: ['markdown', 'links'],
    ...more,
  });
  const known: RunPage = {
    pageId: row.id,
    number: i + 1,
    foundVia: i === 0 ? 'seed' : i % 3 === 0 ? 'sitemap' : 'link',
    firstReferer: i === 0 ? '' : `https://site-${run.site}.example.com/`,
    inSitemap: i % 3 === 0,
    depth: Math.min(8, Math.floor(Math.log2(i + 1))),
    inLinks: i % 60 === 0 ? 0 : (i % 17) + 1,
    orphan: i % 60 === 0,
    unlisted: i % 45 === 1,
  };
  return { row, known };
}
