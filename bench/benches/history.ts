import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { newId, OPERATOR, onOwnBehalf } from '@tidemark/contracts';
import {
  ArchiveServiceService as Rpc,
  type ScanPosition,
  type SearchVersionsResponse,
} from '@tidemark/contracts/archive/v1/archive';
import { PageBodies, type PageRow } from '@tidemark/contracts/page/v1/page';
import type { CallContext } from '@tidemark/service';
import { searchedText } from '../../services/archive/src/search/plain-text.ts';
import { makeSketch } from '../../services/archive/src/search/sketch.ts';
import { fold } from '../../services/archive/src/search/words.ts';
import { contentPageOf } from '../../services/diff/src/blame/content-page.ts';
import { decodeState, encodeState } from '../../services/diff/src/blame/encode-state.ts';
import { firstBlame, nextBlame } from '../../services/diff/src/blame/next-blame.ts';
import { PageWriter } from '../../services/diff/test/fixtures/written-history.ts';
import { cpuWithEndedMs } from '../archive/cpu-with-ended.ts';
import { Figures, timesOf } from '../archive/figures.ts';
import { type BenchRun, pageOf } from '../archive/rows.ts';
import { type ArchiveServers, startArchiveServers } from '../archive/servers.ts';
import { openWriter } from '../archive/write.ts';
import { cpuOfTreeMs } from '../shared/cpu.ts';

const HELP = `npm run bench -- history [--pages 1000] [--runs 200]

Measures the history of pages: the versions of a page, its reading at a time and the search of all versions, over gRPC, in a project of many
runs of which each changes 2 % of the pages; and when the texts of a page appeared, over 200 versions of a page of 5,000 words.

  --pages   pages of the project
  --runs    runs of the project`;

const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '1000' },
    runs: { type: 'string', default: '200' },
    help: { type: 'boolean', default: false },
  },
});

/** One of so many pages changes in a run. */
const CHANGED_ONE_IN = 50;
const ROUNDS = 200;
const P95_MS = 50;
/** Words of a stored text, and time of one response of a search. */
const TEXT_WORDS = 300;
const SEARCH_P95_MS = 1_000;
const SEARCHES = 20;
const BODIES_AT_ONCE = 200;
const BLAME_VERSIONS = 200;
/** Blocks of the written page, which grows to about 5,000 words. */
const BLAME_BLOCKS = 75;
const BLAME_CPU_MS = 1_000;
const STATE_BYTES = 8_192;

/** Returns the version of the text that a page has in a run: it changes in one of `CHANGED_ONE_IN` runs. */
const versionOf = (page: number, run: number): string =>
  `${page} ${Math.floor((run + (page % CHANGED_ONE_IN)) / CHANGED_ONE_IN)}`;

/** Returns the hash of a version's text. */
const textHashOf = (version: string): Buffer => createHash('sha256').update(version).digest().subarray(0, 16);

/** Returns the text of a version: words of its own, and one that no other version has. */
function textOf(version: string): string {
  const seed = textHashOf(version).readUInt32BE();
  const words = Array.from({ length: TEXT_WORDS }, (_, at) => `w${(seed + at * 104_729) % 50_000}`);
  return `${uniqueWord(version)} ${words.join(' ')}`;
}

const uniqueWord = (version: string): string => `only${version.replace(' ', 'x')}`;

/** The stored bodies and sketches of the versions, by version. */
type Stored = ReadonlyMap<string, { readonly content: NonNullable<PageRow['content']>; readonly sketch: Buffer }>;

/** Stores the text of each version once. */
async function storeTexts({ blobs }: ArchiveServers, versions: readonly string[]): Promise<Stored> {
  const stored = new Map<string, { content: NonNullable<PageRow['content']>; sketch: Buffer }>();
  for (let from = 0; from < versions.length; from += BODIES_AT_ONCE)
    await Promise.all(
      versions.slice(from, from + BODIES_AT_ONCE).map(async (version) => {
        const markdown = textOf(version);
        const content = await blobs.put(PageBodies.encode(PageBodies.create({ markdown })).finish());
        stored.set(version, { content, sketch: makeSketch(fold(searchedText(markdown, undefined))) });
      }),
    );
  return stored;
}

async function measureVersions(servers: ArchiveServers, figures: Figures): Promise<void> {
  const [pages, runs] = [Number(values.pages), Number(values.runs)];
  const project = { workspaceId: newId('ws'), projectId: newId('prj'), site: 1 };
  const { record, list } = openWriter(servers.pool);
  const day = (run: number): Date => new Date(Date.UTC(2026, 0, 1 + run));
  const numbers = (length: number): number[] => Array.from({ length }, (_, at) => at);
  const all = numbers(runs).flatMap((run) => numbers(pages).map((page) => versionOf(page, run)));
  const stored = await storeTexts(servers, [...new Set(all)]);
  for (let at = 0; at < runs; at += 1) {
    const run: BenchRun = { ...project, runId: newId('run') };
    const versions = numbers(pages).map((page) => versionOf(page, at));
    const made = versions.map((version, page) =>
      pageOf(run, page, {
        crawledAt: day(at),
        textHash: textHashOf(version),
        content: stored.get(version)?.content,
        title: undefined,
      }),
    );
    await record(run, made);
    await list(run, made);
    await servers.pool.query(
      `INSERT INTO run_words (run_no, number, sketch)
       SELECT r.no, w.number, w.sketch FROM runs r, unnest($2::int[], $3::bytea[]) AS w(number, sketch) WHERE r.id = $1
       ON CONFLICT DO NOTHING`,
      [run.runId, numbers(pages).map((page) => page + 1), versions.map((version) => stored.get(version)?.sketch)],
    );
  }
  await servers.pool.query('ANALYZE');
  const call = { requestId: 'bench', caller: onOwnBehalf(OPERATOR, project.workspaceId) };
  const cpuMs = (): number => cpuOfTreeMs(servers.archivePid) + cpuWithEndedMs(servers.postgresPid);
  const pageAt = (round: number) => {
    // Pages with these remainders were refused in every run.
    const page = (round * 7_919) % pages;
    const { row } = pageOf({ ...project, runId: '' }, page % CHANGED_ONE_IN === 7 || page % 40 === 3 ? 0 : page);
    return { projectId: project.projectId, urlKeys: [row.urlKey] };
  };
  const shape = `${pages} pages x ${runs} runs`;
  const versions = await timesOf(ROUNDS, cpuMs, (round) =>
    servers.archive.call(Rpc.listVersions, { ...pageAt(round), limit: 20 }, call),
  );
  figures.times(`versions of a page, ${shape}`, versions, P95_MS);
  const atTime = await timesOf(ROUNDS, cpuMs, (round) =>
    servers.archive.call(Rpc.findReading, { ...pageAt(round), at: day(round % runs) }, call),
  );
  figures.times(`reading of a page at a time, ${shape}`, atTime, P95_MS);
  await measureSearch({ servers, figures, call, projectId: project.projectId, shape, pages, runs });
}

interface SearchedHistory {
  readonly servers: ArchiveServers;
  readonly figures: Figures;
  readonly call: CallContext;
  readonly projectId: string;
  readonly shape: string;
  readonly pages: number;
  readonly runs: number;
}

/** Searches all versions for words that one version has, to the end: each response covers a part of the pages. */
async function measureSearch({
  servers,
  figures,
  call,
  projectId,
  shape,
  pages,
  runs,
}: SearchedHistory): Promise<void> {
  const responses: number[] = [];
  const searches: number[] = [];
  let [missed, scanned] = [0, 0];
  for (let round = 0; round < SEARCHES; round += 1) {
    // A page that was read, in a run of the middle of the history.
    const page = ((round * 50 + 2) * 7) % pages;
    const q = uniqueWord(versionOf(page, (runs + round) >> 1));
    const startedAtMs = performance.now();
    let [found, after]: [number, ScanPosition | undefined] = [0, undefined];
    do {
      const sentAtMs = performance.now();
      const part: SearchVersionsResponse = await servers.archive.call(
        Rpc.searchVersions,
        { projectId, q, limit: 25, after },
        call,
      );
      responses.push(performance.now() - sentAtMs);
      found += part.pages.length;
      scanned += part.scanned;
      after = part.last;
    } while (after !== undefined);
    searches.push(performance.now() - startedAtMs);
    if (found !== 1) missed += 1;
  }
  responses.sort((a, b) => a - b);
  searches.sort((a, b) => a - b);
  const p95 = responses[Math.floor(responses.length * 0.95)] ?? 0;
  figures.add(
    `search of all versions, ${shape}: one response`,
    `p50 ${(responses[responses.length >> 1] ?? 0).toFixed(0)}, p95 ${p95.toFixed(0)} ms`,
    `p95 <= ${SEARCH_P95_MS} ms`,
    p95 <= SEARCH_P95_MS,
  );
  const whole = searches[searches.length >> 1] ?? 0;
  figures.add(
    `search of all versions, to the end (${Math.round(scanned / SEARCHES)} versions)`,
    `p50 ${(whole / 1_000).toFixed(1)} s, ${missed} of ${SEARCHES} without their page`,
    '0 without their page',
    missed === 0,
  );
}

function measureBlame(figures: Figures): void {
  const writer = new PageWriter({ seed: 1, blocks: BLAME_BLOCKS });
  const pages = [writer.current.page];
  for (let version = 1; version < BLAME_VERSIONS; version += 1) pages.push(writer.next().page);
  const [first, ...later] = pages.map(contentPageOf);
  if (first === undefined) return;
  const before = process.cpuUsage();
  let state = firstBlame(0, first);
  let last = first;
  for (const [index, after] of later.entries()) {
    state = nextBlame(state, { version: index + 1, before: last, after });
    last = after;
  }
  const { user, system } = process.cpuUsage(before);
  const words = last.blocks.reduce((sum, { text }) => sum + text.split(' ').length, 0);
  const cpu = (user + system) / 1_000;
  figures.add(
    `blame: ${BLAME_VERSIONS} versions, ${words} words, computed again`,
    `cpu ${cpu.toFixed(0)} ms`,
    `<= ${BLAME_CPU_MS} ms`,
    cpu <= BLAME_CPU_MS,
  );
  const bytes = encodeState(state).length;
  figures.add('blame: stored state of that page', `${bytes} bytes`, `<= ${STATE_BYTES}`, bytes <= STATE_BYTES);
  const readBefore = process.cpuUsage();
  decodeState(encodeState(state));
  const read = process.cpuUsage(readBefore);
  figures.add('blame: state encoded and decoded', `cpu ${((read.user + read.system) / 1_000).toFixed(1)} ms`);
}

async function main(): Promise<void> {
  const figures = new Figures();
  measureBlame(figures);
  const servers = await startArchiveServers();
  try {
    await measureVersions(servers, figures);
  } finally {
    await servers.close();
  }
  figures.print();
}

if (values.help) console.log(HELP);
else await main();
