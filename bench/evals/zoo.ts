/**
 * Scrapes every hostile and odd page of the test site through the whole fleet, and compares the verdicts with the
 * site's labels.
 *
 *   npm run eval -- zoo
 */
import { readFileSync } from 'node:fs';
import type { PageRow } from '@tidemark/api';
import type { Api } from '../../test/harness/api.ts';
import { serviceOf, startFleet } from '../../test/harness/fleet.ts';
import { until } from '../../test/harness/until.ts';
import { SITE_HOST, type Site, startSite } from '../site/start-site.ts';
import type { Exhibit, Expected } from '../site/zoo.ts';

const TIMEOUT_SECONDS = 10;
/** Time a job may take in addition to its page, ms. */
const GRACE_MS = 5_000;
const MEMORY_LIMIT_MB = 150;

interface ExhibitResult {
  readonly name: string;
  readonly expected: string;
  readonly got: string;
  readonly ms: number;
  readonly right: boolean;
}

/** Returns the PSS of one process, MB. */
function memoryMb(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

async function capture(api: Api, url: string, tier: 'http' | 'browser'): Promise<PageRow> {
  const config = { max_tier: tier, timeout_seconds: TIMEOUT_SECONDS };
  const { job } = await api.scrape({ url, formats: 'markdown', config });
  const done = await until(
    url,
    async () => {
      const now = job.status === 'done' ? job : await api.job(job.id);
      return now.status === 'done' && now;
    },
    { withinMs: 60_000 },
  );
  const [page] = done.data;
  if (page === undefined) throw new Error(`no row for ${url}`);
  return page;
}

/** Returns whether the row has every value the site expects; without expectations any verdict passes. */
function isAsExpected(
  page: PageRow,
  { verdict, errorCode, warnings = [], signals = [], widget }: Expected,
  tier: Exhibit['tier'],
): boolean {
  // A page that needs a browser is TIER_LIMIT where none is allowed; the signal shows what plain http got.
  const isShell = tier === 'http' && page.errorCode === 'TIER_LIMIT' && page.signals.includes('app shell');
  return (
    (verdict === undefined || page.verdict === verdict) &&
    (errorCode === undefined || page.errorCode === errorCode || (errorCode === 'SHELL' && isShell)) &&
    warnings.every((one) => page.warnings.includes(one)) &&
    signals.every((one) => page.signals.includes(one)) &&
    (widget !== true || Boolean(page.widget))
  );
}

async function visit(api: Api, base: string, exhibit: Exhibit): Promise<ExhibitResult> {
  const { path, tier, expected, note } = exhibit;
  const startedAtMs = performance.now();
  const page = await capture(api, base + path, tier);
  const ms = performance.now() - startedAtMs;
  // A capture may take its timeout on each tier it tries.
  const inTime = ms < TIMEOUT_SECONDS * 1_000 * (tier === 'browser' ? 2 : 1) + GRACE_MS;
  return {
    name: `${path}${tier === 'http' ? ' (http)' : ''}`,
    expected: Object.keys(expected).length === 0 ? `any: ${note}` : JSON.stringify(expected),
    got: `${page.verdict} ${page.errorCode} ${page.tier} [${page.signals.join(', ')}]${page.widget ? ` ${page.widget}` : ''}: ${page.reason}`,
    ms,
    right: inTime && isAsExpected(page, expected, tier),
  };
}

async function tour(site: Site): Promise<boolean> {
  const { base } = site;
  const fleet = await startFleet({ egressAllow: SITE_HOST, logLevel: 'error' });
  try {
    const { writer } = await fleet.workspaces.make();
    const { pid } = serviceOf(fleet, 'scrape');
    // Warm-up, so that compilers and pools are not part of the memory.
    for (let n = 0; n < 20; n += 1) await capture(writer, `${base}/zoo/ok?n=${n}`, 'http');
    const before = memoryMb(pid);
    let peak = before;
    const watch = setInterval(() => {
      peak = Math.max(peak, memoryMb(pid));
    }, 100);
    const outcomes: ExhibitResult[] = [];
    for (const exhibit of await site.zoo()) outcomes.push(await visit(writer, base, exhibit));
    clearInterval(watch);
    const alive = (await capture(writer, `${base}/zoo/ok?last`, 'http')).verdict === 'ok';
    return show(outcomes, { before, peak, after: memoryMb(pid) }, alive);
  } finally {
    await fleet.close();
  }
}

function show(
  outcomes: readonly ExhibitResult[],
  memory: { before: number; peak: number; after: number },
  alive: boolean,
): boolean {
  for (const { name, expected, got, ms, right } of outcomes) {
    console.log(`${right ? '  ' : '✗ '}${name.padEnd(26)}${ms.toFixed(0).padStart(7)} ms  ${got}`);
    if (!right) console.log(`${' '.repeat(38)}expected ${expected}`);
  }
  const names = new Set(outcomes.map(({ name }) => name.split(' ')[0]));
  const missed = new Set(outcomes.filter(({ right }) => !right).map(({ name }) => name.split(' ')[0]));
  const { before, peak, after } = memory;
  const [growthMb, most] = [after - before, peak - before];
  const met = (holds: boolean): string => (holds ? 'met' : 'MISSED');
  console.log(`\nright and in time: ${names.size - missed.size} of ${names.size}   ${met(missed.size === 0)}`);
  console.log(
    `memory of the scrape process: ${before.toFixed(0)} MB before, at most +${most.toFixed(0)} MB, +${growthMb.toFixed(0)} MB after   at most +${MEMORY_LIMIT_MB} MB ${met(most <= MEMORY_LIMIT_MB)}`,
  );
  console.log(`a page read after all of them: ${met(alive)}`);
  return missed.size === 0 && alive;
}

const site = await startSite({ pages: 40, sitemaps: 1 });
try {
  await tour(site);
} finally {
  site.stop();
}
