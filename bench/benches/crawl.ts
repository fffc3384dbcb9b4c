import { parseArgs } from 'node:util';
import { runCancel } from '../crawl/cancel.ts';
import { CRAWLEE_HELP, crawleeUse } from '../crawl/crawlee.ts';
import { measureCrawl, runFirst } from '../crawl/first-crawl.ts';
import { startBenchFleet } from '../crawl/fleet.ts';
import { runMemory } from '../crawl/memory.ts';
import { countStatements } from '../crawl/postgres.ts';
import { runLimited } from '../crawl/rate-limited.ts';
import { runAgain } from '../crawl/recrawl.ts';
import { ELSEWHERE, Scoreboard } from '../crawl/scoreboard.ts';
import type { Bench } from '../crawl/settings.ts';
import { runHosts } from '../crawl/slow-host.ts';
import { notMeasured } from '../shared/not-measured.ts';
import { startSite } from '../site/start-site.ts';

const SECTIONS = ['first', 'again', 'limited', 'hosts', 'cancel', 'memory'] as const;
type Section = (typeof SECTIONS)[number];

const HELP = `npm run bench -- crawl [--section first,again,limited,hosts,cancel,memory] [--pages 5000] [--concurrency 50] [--crawlee | --no-crawlee]

Crawls the test site of bench/site through the whole fleet and prints each figure with Crawlee's of the same run, its goal, and whether it is met.

  first    the whole site over plain http, markdown, links and html kept, after a warm-up of 1,500 pages of another site, whose
           figures are shown too; next to Crawlee storing the same
  again    the same site unchanged: speed and bytes against the first run, nothing modified, no link lost
  limited  a section that responds once a second and sends 429 to more; next to Crawlee
  hosts    ten crawls at the same time, one of them of a host that takes 5 s per response
  cancel   DELETE in the middle: seconds until the last fetch
  memory   50,000 pages: memory at 5,000 and at the end (some ten minutes; only when named)

  --pages        pages of the site of first and again; the goals are set for 5,000
  --concurrency  concurrent fetches to a host, for Tidemark and Crawlee
${CRAWLEE_HELP}`;

const { values } = parseArgs({
  options: {
    section: { type: 'string', default: SECTIONS.filter((section) => section !== 'memory').join(',') },
    pages: { type: 'string', default: '5000' },
    concurrency: { type: 'string', default: '50' },
    crawlee: { type: 'boolean' },
    help: { type: 'boolean', default: false },
  },
  allowNegative: true,
});

/** Parses a comma-separated list of sections. @throws Error naming the unknown ones */
function sectionsOf(list: string): Set<Section> {
  const names = list.split(',').map((name) => name.trim());
  const known = SECTIONS.filter((section) => names.includes(section));
  const unknown = names.filter((name) => !known.some((section) => section === name));
  if (unknown.length > 0)
    throw new Error(`there is no section ${unknown.join(', ')}; there are ${SECTIONS.join(', ')}`);
  return new Set(known);
}

async function runSite(bench: Bench, expected: ReadonlySet<Section>): Promise<void> {
  const site = await startSite({ pages: bench.pages, prewarm: true });
  try {
    const { admin } = await bench.fleet.workspaces.make();
    const first = expected.has('first') ? await runFirst(bench, admin, site) : await measureCrawl(bench, admin, site);
    if (expected.has('again')) await runAgain(bench, admin, site, first);
  } finally {
    site.stop();
  }
}

/** Runs one section. A failure is printed and does not stop the others. */
async function attempt(name: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    notMeasured(name, String(error));
  }
}

async function main(): Promise<void> {
  const expected = sectionsOf(values.section);
  const board = new Scoreboard();
  const crawlee = crawleeUse(values.crawlee);
  const settings = { pages: Number(values.pages), concurrency: Number(values.concurrency), crawlee, board };
  if (expected.size > (expected.has('memory') ? 1 : 0)) {
    const fleet = await startBenchFleet();
    try {
      const counts = expected.has('first') && (await countStatements(fleet));
      const bench: Bench = { ...settings, fleet, counted: counts };
      if (expected.has('first') || expected.has('again')) await attempt('first', () => runSite(bench, expected));
      if (expected.has('limited')) await attempt('limited', () => runLimited(bench));
      if (expected.has('hosts')) await attempt('hosts', () => runHosts(bench));
      if (expected.has('cancel')) await attempt('cancel', () => runCancel(bench));
    } finally {
      await fleet.close();
    }
  }
  if (expected.has('memory')) await attempt('memory', () => runMemory(settings));
  board.print(ELSEWHERE);
}

if (values.help) console.log(HELP);
else await main();
