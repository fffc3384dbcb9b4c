import { parseArgs } from 'node:util';
import type { CrawlEnvelope } from '@tidemark/api';
import { type OwnFleet, startFleet } from '../../test/harness/fleet.ts';
import { until } from '../../test/harness/until.ts';
import type { Workspace } from '../../test/harness/workspaces.ts';
import { type PoliteHost, PoliteSite, type Seen } from '../crawl/polite-site.ts';
import { median } from '../shared/load.ts';

const HELP = `npm run bench -- polite

Crawls a site of several hosts through the whole fleet, each host with its own settings, two runs of two workspaces on one
host among them, and prints the requests each host saw next to the settings: fetches at once, time between two starts, pages requested
before a Retry-After had passed, pages its robots.txt forbids. Exit code 1 where a limit was exceeded.`;

/** A start before this share of the gap counts as early. On a busy machine 5 % of the starts may appear early, at half the gap at least. */
const EARLY = 0.95;
const EARLY_SHARE = 0.05;
const EARLIEST = 0.5;
const WITHIN_MS = 60_000;

interface Case {
  readonly name: string;
  readonly host: PoliteHost;
  readonly concurrency: number;
  readonly delayMs: number;
  /** Milliseconds between two starts, over all crawls of the host. */
  readonly gapMs: number;
  readonly workspaces: number;
  /** Pages that may be in flight when the host sends its first 429. */
  readonly mayBeTooSoon: number;
}

const plain = { delayMs: 0, gapMs: 0, workspaces: 1, mayBeTooSoon: 0 } as const;
const CASES: readonly Case[] = [
  { ...plain, name: 'one at a time', host: { address: '127.0.0.2', pages: 30 }, concurrency: 1 },
  { ...plain, name: 'two at once', host: { address: '127.0.0.3', pages: 60 }, concurrency: 2 },
  { ...plain, name: 'eight at once', host: { address: '127.0.0.4', pages: 200 }, concurrency: 8 },
  {
    ...plain,
    name: 'a quarter of a second apart',
    host: { address: '127.0.0.5', pages: 30 },
    concurrency: 8,
    delayMs: 250,
    gapMs: 250,
  },
  {
    ...plain,
    name: 'robots.txt: a second apart',
    host: { address: '127.0.0.6', pages: 12, robots: 'Crawl-delay: 1\n' },
    concurrency: 8,
    gapMs: 1_000,
  },
  {
    ...plain,
    name: 'two runs of two workspaces',
    host: { address: '127.0.0.7', pages: 80 },
    concurrency: 4,
    workspaces: 2,
  },
  {
    ...plain,
    name: 'two such runs, 250 ms apart',
    host: { address: '127.0.0.8', pages: 15 },
    concurrency: 4,
    delayMs: 250,
    gapMs: 250,
    workspaces: 2,
  },
  {
    ...plain,
    name: 'Retry-After: 3, twice',
    host: { address: '127.0.0.9', pages: 40, limits: { pages: 2, afterSeconds: 3 } },
    concurrency: 8,
    mayBeTooSoon: 7,
  },
];

interface Crawled {
  readonly stops: readonly (string | null)[];
  readonly counts: readonly Readonly<Record<string, number>>[];
  readonly held: boolean;
}

/** Runs the crawls of one case at the same time, each in its own workspace. */
async function crawl(workspaces: readonly Workspace[], url: string, each: Case): Promise<Crawled> {
  let held = false;
  const runs = workspaces.slice(0, each.workspaces).map(async ({ admin }) => {
    const { concurrency, delayMs: delay } = each;
    const order = {
      url,
      concurrency,
      delay,
      useSitemap: false,
      maxTier: 'http',
      scrapeOptions: { formats: ['links'] },
    };
    const { status, body, text } = await admin.post('/crawl', order);
    if (status !== 202) throw new Error(`the crawl was rejected: ${status} ${text}`);
    const { id } = body as CrawlEnvelope;
    return until(
      `the crawl of ${url} ends`,
      async () => {
        await new Promise((done) => setTimeout(done, 250));
        const now = (await admin.get(`/crawl/${id}?formats=none&limit=1`)).body as CrawlEnvelope;
        held ||= now.held.length > 0;
        return now.status !== 'running' && now.status !== 'queued' && now;
      },
      { withinMs: WITHIN_MS },
    );
  });
  const ended = await Promise.all(runs);
  return { stops: ended.map(({ stop }) => stop), counts: ended.map(({ counts }) => counts), held };
}

interface Line {
  readonly what: string;
  readonly saw: string;
  readonly agreed: string;
  readonly isOk: boolean;
}

function linesOf(each: Case, seen: Seen, { stops, counts, held }: Crawled): Line[] {
  const { gapMs, host } = each;
  const least = Math.min(...seen.gaps);
  const early = seen.gaps.filter((gap) => gap < gapMs * EARLY).length;
  const mayBeEarly = Math.ceil(seen.gaps.length * EARLY_SHARE);
  const read = counts.map(({ ok = 0 }) => ok);
  const lines: Line[] = [
    {
      what: 'fetches at once',
      saw: String(seen.peak),
      agreed: `≤ ${each.concurrency}`,
      isOk: seen.peak <= each.concurrency,
    },
    {
      what: 'between starts, least / median',
      saw: `${least.toFixed(0)} / ${median(seen.gaps).toFixed(0)} ms`,
      agreed: gapMs === 0 ? 'any' : `≥ ${gapMs} ms`,
      isOk: least >= gapMs * EARLIEST && median(seen.gaps) >= gapMs * EARLY,
    },
    ...(gapMs === 0
      ? []
      : [
          {
            what: 'starts too early',
            saw: `${early} of ${seen.gaps.length}`,
            agreed: `≤ ${mayBeEarly}`,
            isOk: early <= mayBeEarly,
          },
        ]),
    { what: 'forbidden by robots.txt', saw: String(seen.forbidden), agreed: '0', isOk: seen.forbidden === 0 },
    {
      what: 'pages read',
      saw: read.join(' + '),
      agreed: `${host.pages} each`,
      isOk: read.every((pages) => pages === host.pages) && stops.every((stop) => stop === 'finished'),
    },
  ];
  if (host.limits === undefined) return lines;
  const most = each.mayBeTooSoon;
  return [
    ...lines,
    {
      what: 'inside a Retry-After',
      saw: String(seen.tooSoon),
      agreed: `≤ ${most} (under way)`,
      isOk: seen.tooSoon <= most,
    },
    { what: 'held, as the run reported', saw: held ? 'yes' : 'no', agreed: 'yes', isOk: held },
  ];
}

function print(name: string, lines: readonly Line[]): void {
  console.log(name);
  for (const { what, saw, agreed, isOk } of lines)
    console.log(`   ${what.padEnd(32)} ${saw.padStart(16)}   ${agreed.padEnd(18)} ${isOk ? 'ok' : 'MISSED'}`);
}

/** Runs the cases that mostly wait together, then the busy ones, so that these do not delay the others. */
async function measure(fleet: OwnFleet): Promise<boolean> {
  const workspaces = await Promise.all([fleet.workspaces.make(), fleet.workspaces.make()]);
  let isOk = true;
  for (const group of [CASES.filter(({ gapMs }) => gapMs > 0), CASES.filter(({ gapMs }) => gapMs === 0)]) {
    for (const lines of await Promise.all(group.map((each) => tryCase(workspaces, each))))
      isOk &&= lines.every((line) => line.isOk);
  }
  return isOk;
}

async function tryCase(workspaces: readonly Workspace[], each: Case): Promise<Line[]> {
  const site = new PoliteSite(each.host);
  try {
    const url = await site.open();
    const crawled = await crawl(workspaces, url, each);
    const lines = linesOf(each, site.seen, crawled);
    print(`${each.name} (${url})`, lines);
    return lines;
  } finally {
    site.close();
  }
}

async function main(): Promise<void> {
  const fleet = await startFleet({
    services: ['identity', 'billing', 'archive', 'scrape', 'map', 'crawl', 'gateway'],
    egressAllow: CASES.map(({ host }) => host.address).join(','),
    logLevel: 'error',
  });
  try {
    process.exitCode = (await measure(fleet)) ? 0 : 1;
  } finally {
    await fleet.close();
  }
}

const { values } = parseArgs({ options: { help: { type: 'boolean', default: false } } });
if (values.help) console.log(HELP);
else await main();
