import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { newId, OPERATOR, onOwnBehalf } from '@tidemark/contracts';
import { ArchiveServiceService as Rpc } from '@tidemark/contracts/archive/v1/archive';
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

Measures the history of pages: the versions of a page and its reading at a time, over gRPC, in a project of many runs of which each changes
2 % of the pages; and when the texts of a page appeared, over 200 versions of a page of 5,000 words.

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
const BLAME_VERSIONS = 200;
/** Blocks of the written page, which grows to about 5,000 words. */
const BLAME_BLOCKS = 75;
const BLAME_CPU_MS = 1_000;
const STATE_BYTES = 8_192;

/** Returns the hash of the text that a page has in a run: it changes in one of `CHANGED_ONE_IN` runs. */
const textHashOf = (page: number, run: number): Buffer =>
  createHash('sha256')
    .update(`${page} ${Math.floor((run + (page % CHANGED_ONE_IN)) / CHANGED_ONE_IN)}`)
    .digest()
    .subarray(0, 16);

async function measureVersions(servers: ArchiveServers, figures: Figures): Promise<void> {
  const [pages, runs] = [Number(values.pages), Number(values.runs)];
  const project = { workspaceId: newId('ws'), projectId: newId('prj'), site: 1 };
  const { record, list } = openWriter(servers.pool);
  const day = (run: number): Date => new Date(Date.UTC(2026, 0, 1 + run));
  for (let at = 0; at < runs; at += 1) {
    const run: BenchRun = { ...project, runId: newId('run') };
    const made = Array.from({ length: pages }, (_, page) =>
      pageOf(run, page, { crawledAt: day(at), textHash: textHashOf(page, at) }),
    );
    await record(run, made);
    await list(run, made);
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
