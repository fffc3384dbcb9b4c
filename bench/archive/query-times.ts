import { OPERATOR, onOwnBehalf } from '@tidemark/contracts';
import {
  type QueryPagesRequest,
  ArchiveServiceService as Rpc,
  type SearchPagesRequest,
  type SearchPagesResponse,
} from '@tidemark/contracts/archive/v1/archive';
import { ScrapeServiceService as Scrape, type SearchSelectorsRequest } from '@tidemark/contracts/scrape/v1/scrape';
import type { CallContext, Peer } from '@tidemark/service';
import { cpuOfTreeMs } from '../shared/cpu.ts';
import { cpuWithEndedMs } from './cpu-with-ended.ts';
import { type Figures, timesOf } from './figures.ts';
import type { BenchRun } from './rows.ts';
import type { ArchiveServers } from './servers.ts';

const LIST_P95_MS = 30;
const SEARCH_P95_MS = 200;
const SELECTOR_PAGES_A_SECOND = 150;
const ROUNDS = 200;

const callOf = ({ workspaceId }: BenchRun): CallContext => ({
  requestId: 'bench',
  caller: onOwnBehalf(OPERATOR, workspaceId),
});
const query = (archive: Peer, run: BenchRun, more: Partial<QueryPagesRequest>) =>
  archive.call(Rpc.queryPages, { run, q: '', after: 0, limit: 100, bodies: [], ...more }, callOf(run));
const search = (archive: Peer, run: BenchRun, more: Partial<SearchPagesRequest>): Promise<SearchPagesResponse> =>
  archive.call(Rpc.searchPages, { run, q: '', after: 0, limit: 20, ...more }, callOf(run));

async function searchSelector(
  scrape: Peer,
  run: BenchRun,
  query: Omit<SearchSelectorsRequest, 'run'>,
): Promise<SearchPagesResponse> {
  const { found } = await scrape.call(Scrape.searchSelectors, { run, ...query }, callOf(run));
  if (found === undefined) throw new Error('a search came without its pages');
  return found;
}

/** Returns the CPU of the archive and of PostgreSQL, which does not depend on other load. */
const cpuOf =
  ({ archivePid, postgresPid }: ArchiveServers) =>
  (): number =>
    cpuOfTreeMs(archivePid) + cpuWithEndedMs(postgresPid);

/** Picks deterministically, so that every run sends the same queries. */
const pick = <T>(list: readonly T[], round: number): T | undefined => list[(round * 7_919) % list.length];

/** Measures lists by cursor in any run; `large` is the run of 10,000 pages. */
export async function measureLists(
  figures: Figures,
  servers: ArchiveServers,
  runs: readonly BenchRun[],
  large: BenchRun,
  pages: number,
) {
  const anywhere = await timesOf(ROUNDS, cpuOf(servers), (round) =>
    query(servers.archive, pick(runs, round) ?? large, { after: ((round * 131) % 1_500) + 1 }),
  );
  figures.times(`list: 100 pages by cursor, any of ${runs.length} runs`, anywhere, LIST_P95_MS);
  const within = await timesOf(ROUNDS, cpuOf(servers), (round) =>
    query(servers.archive, large, { after: ((round * 131) % pages) + 1 }),
  );
  figures.times(`list: 100 pages by cursor, the run of ${pages}`, within, LIST_P95_MS);
  const first = await timesOf(ROUNDS, cpuOf(servers), () => query(servers.archive, large, {}));
  figures.times('list: its first 100 pages and their total', first, LIST_P95_MS);
}

const QUERIES = [
  'status:403 depth:>2 -lang:en',
  '"harbour of docs"',
  'url:/blog/* words:>=1000',
  'signals:"http 404" -title:storm',
  'crawledAt:>2026-01-01 method:browser credits:1..5',
  'orphan:true',
];

export async function measureQueries(
  figures: Figures,
  servers: ArchiveServers,
  runs: readonly BenchRun[],
  large: BenchRun,
) {
  for (const q of QUERIES) {
    const inLarge = await timesOf(ROUNDS / 2, cpuOf(servers), () => query(servers.archive, large, { q }));
    figures.times(`query: ${q}, with total, the large run`, inLarge, LIST_P95_MS);
  }
  const anywhere = await timesOf(ROUNDS, cpuOf(servers), (round) =>
    query(servers.archive, pick(runs, round) ?? large, { q: pick(QUERIES, round) ?? '' }),
  );
  figures.times('query: any of these, with total, any run', anywhere, LIST_P95_MS);
}

/** Measures word searches and prints how often each word occurs. */
export async function measureWordSearch(
  figures: Figures,
  servers: ArchiveServers,
  run: BenchRun,
  words: readonly (readonly [string, string])[],
) {
  for (const [kind, q] of words) {
    let response: SearchPagesResponse | undefined;
    const times = await timesOf(ROUNDS / 4, cpuOf(servers), async () => {
      response = await search(servers.archive, run, { q });
    });
    const found = `${response?.pages.length ?? 0} pages found, ${response?.scanned ?? 0} of ${response?.total ?? 0} scanned`;
    figures.times(`words: ${kind} ${q}: first response (${found})`, times, SEARCH_P95_MS);
  }
}

/** Measures a selector search until its last page of results. */
export async function measureSelectors(
  figures: Figures,
  servers: ArchiveServers,
  run: BenchRun,
  selectors: readonly string[],
) {
  for (const q of selectors) {
    const before = { scrape: cpuOfTreeMs(servers.scrapePid), archive: cpuOfTreeMs(servers.archivePid) };
    const startedAtMs = performance.now();
    let [scanned, found, requests] = [0, 0, 0];
    for (let after = 0, isMore = true; isMore; requests += 1) {
      const response = await searchSelector(servers.scrape, run, { selector: q, after, limit: 1_000 });
      scanned += response.scanned;
      found += response.pages.length;
      ({ last: after, isMore } = response);
    }
    const seconds = (performance.now() - startedAtMs) / 1_000;
    const scrapeSeconds = (cpuOfTreeMs(servers.scrapePid) - before.scrape) / 1_000;
    const archiveSeconds = (cpuOfTreeMs(servers.archivePid) - before.archive) / 1_000;
    figures.rate(
      `selector: ${q}: ${scanned} pages, ${found} found, ${requests} requests, pages per second of CPU`,
      scanned / (scrapeSeconds + archiveSeconds),
      `pages/s a core (${(scanned / seconds).toFixed(0)} by the clock)`,
      SELECTOR_PAGES_A_SECOND,
    );
  }
}
