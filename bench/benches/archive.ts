import { parseArgs } from 'node:util';
import { newId } from '@tidemark/contracts';
import { cpuWithEndedMs } from '../archive/cpu-with-ended.ts';
import { Figures } from '../archive/figures.ts';
import { measureLists, measureQueries, measureSelectors, measureWordSearch } from '../archive/query-times.ts';
import { type BenchRun, pageOf } from '../archive/rows.ts';
import { type ArchiveServers, startArchiveServers } from '../archive/servers.ts';
import { storeRun } from '../archive/stored-run.ts';
import { readTexts } from '../archive/texts.ts';
import { openWriter } from '../archive/write.ts';

const SECTIONS = ['write', 'list', 'query', 'words', 'selector'] as const;
type Section = (typeof SECTIONS)[number];

const HELP = `npm run bench -- archive [--rows 1000000] [--section write,list,query,words,selector] [--pages 10000] [--html 1000]

Fills an archive through its own write path (rows in batches as they arrive, then the list of each finished run), on
PostgreSQL with default settings, and queries it over gRPC. Prints each figure next to its goal.

  write     rows a second, of runs of 2,000 pages, 50 projects, 20 runs and more of each
  list      pages by cursor
  query     the query language, with totals
  words     words and phrases in a run of 10,000 generated pages
  selector  a CSS search over 1,000 generated pages, read by scrape on one thread

  --rows    rows besides those runs; the goals are set for a million (some five minutes)
  --pages   pages of the run that is searched for words
  --html    pages of the run that is searched for selectors`;

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    section: { type: 'string', default: SECTIONS.join(',') },
    pages: { type: 'string', default: '10000' },
    html: { type: 'string', default: '1000' },
    help: { type: 'boolean', default: false },
  },
});

const PAGES_A_RUN = 2_000;
const PROJECTS = 50;
const TEXTS = 800;
const WRITES_A_SECOND = 3_000;

/** Parses a comma-separated list of sections. @throws Error naming the unknown ones */
function sectionsOf(list: string): Set<Section> {
  const names = list.split(',').map((name) => name.trim());
  const known = SECTIONS.filter((section) => names.includes(section));
  const unknown = names.filter((name) => !known.some((section) => section === name));
  if (unknown.length > 0)
    throw new Error(`there is no section ${unknown.join(', ')}; there are ${SECTIONS.join(', ')}`);
  return new Set(known);
}

/** Yields runs of many projects; a project has the same URLs in each of its runs. */
function* runsOf(rows: number): Generator<{ run: BenchRun; pages: number }> {
  const projects = Array.from({ length: PROJECTS }, (_, site) => ({
    workspaceId: newId('ws'),
    projectId: newId('prj'),
    site,
  }));
  for (let at = 0; at * PAGES_A_RUN < rows; at += 1) {
    const project = projects[at % PROJECTS];
    if (project === undefined) return;
    yield { run: { ...project, runId: newId('run') }, pages: Math.min(PAGES_A_RUN, rows - at * PAGES_A_RUN) };
  }
}

/** Writes as the archive does: a run is listed while the rows of the next one arrive. */
async function fill({ pool, postgresPid }: ArchiveServers, rows: number, figures: Figures): Promise<BenchRun[]> {
  const { record, list } = openWriter(pool);
  const runs: BenchRun[] = [];
  let [written, buildMs] = [0, 0];
  let listed = Promise.resolve();
  const [startedAtMs, before] = [performance.now(), process.cpuUsage()];
  const postgresBefore = cpuWithEndedMs(postgresPid);
  for (const { run, pages: count } of runsOf(rows)) {
    const buildAtMs = performance.now();
    const pages = Array.from({ length: count }, (_, i) => pageOf(run, i));
    buildMs += performance.now() - buildAtMs;
    await record(run, pages);
    await listed;
    listed = list(run, pages);
    runs.push(run);
    written += count;
    const seconds = (performance.now() - startedAtMs) / 1_000;
    if (runs.length % 25 === 0) console.log(`  … ${written} rows, ${Math.round(written / seconds)}/s`);
  }
  await listed;
  const tookMs = performance.now() - startedAtMs;
  const { user, system } = process.cpuUsage(before);
  const usedMs = (user + system) / 1_000 - buildMs + cpuWithEndedMs(postgresPid) - postgresBefore;
  figures.rate(
    `write: ${written} rows in ${runs.length} runs, recorded and listed`,
    (written * 1_000) / tookMs,
    'rows/s',
    WRITES_A_SECOND,
  );
  figures.add('write: CPU of a row, writer and PostgreSQL', `${((usedMs * 1_000) / written).toFixed(0)} us`);
  return runs;
}

async function measure(servers: ArchiveServers, expected: ReadonlySet<Section>, figures: Figures): Promise<void> {
  const runs = await fill(servers, Number(values.rows), figures);
  await servers.pool.query('ANALYZE');
  if (expected.size === 1 && expected.has('write')) return;
  const texts = readTexts(TEXTS);
  const pages = Number(values.pages);
  const large = await storeRun(servers, { texts, pages, withHtml: false }, figures);
  if (expected.has('list')) await measureLists(figures, servers, runs, large, pages);
  if (expected.has('query')) await measureQueries(figures, servers, runs, large);
  if (expected.has('words')) {
    await measureWordSearch(figures, servers, large, [
      ['rare', 'marker4711'],
      ['absent', 'xylographically'],
      ['uncommon', 'harbour'],
      ['common', 'people'],
      ['everywhere', 'the'],
      ['two words', 'water -the'],
      ['phrase', '"on the other hand"'],
      ['rare phrase', '"number marker4711"'],
    ]);
  }
  if (!expected.has('selector')) return;
  const html = await storeRun(servers, { texts, pages: Number(values.html), withHtml: true }, figures);
  await measureSelectors(figures, servers, html, ['h1', 'article p > a[href]', '//table//td']);
}

async function main(): Promise<void> {
  const expected = sectionsOf(values.section);
  const figures = new Figures();
  const servers = await startArchiveServers();
  try {
    await measure(servers, expected, figures);
  } finally {
    await servers.close();
  }
  figures.print();
}

if (values.help) console.log(HELP);
else await main();
