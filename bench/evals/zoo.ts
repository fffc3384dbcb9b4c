/**
 * Scrapes every hostile and odd page of the peers' site server through the whole fleet, and compares the verdicts with the
 * site's labels.
 *
 *   npm run eval -- zoo
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { PageRow } from '@tidemark/api';
import type { Api } from '../../test/harness/api.ts';
import { serviceOf, startFleet } from '../../test/harness/fleet.ts';
import { until } from '../../test/harness/until.ts';
import { notMeasured } from '../shared/not-measured.ts';

const SITE = join(import.meta.dirname, '../../../shared/peer-bench/site-server.mjs');
const HOST = '127.0.0.2';
const TIMEOUT_SECONDS = 10;
/** Time a job may take in addition to its page, ms. */
const GRACE_MS = 5_000;
const MEMORY_LIMIT_MB = 150;

type Expectation = Readonly<Record<string, unknown>>;
interface Exhibit {
  readonly name: string;
  readonly url: string;
  readonly expect: Expectation;
  /** Highest tier allowed. */
  readonly tier: 'http' | 'browser';
}
interface ExhibitResult {
  readonly name: string;
  readonly expected: string;
  readonly got: string;
  readonly ms: number;
  readonly right: boolean;
}

const isRecord = (value: unknown): value is Expectation => typeof value === 'object' && value !== null;

function freePort(): Promise<number> {
  const probe = createServer();
  return new Promise((found) => {
    probe.listen(0, HOST, () => {
      const address = probe.address();
      probe.close(() => found(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

async function startSite(): Promise<{ child: ChildProcess; base: string }> {
  const port = await freePort();
  const args = [SITE, '--port', String(port), '--host', HOST, '--pages', '40', '--sitemaps', '1', '--quiet'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const base = `http://${HOST}:${port}`;
  await until('the site', async () => (await fetch(`${base}/__health`)).ok, { withinMs: 30_000 });
  return { child, base };
}

/**
 * Returns the exhibits; one that differs by engine counts as two. The site has no data for the application at /zoo/shell (its
 * script gets a 404), so the browser opens another of the site's applications.
 */
async function exhibits(base: string): Promise<Exhibit[]> {
  const listed: unknown = await (await fetch(`${base}/__zoo.json`)).json();
  const scripted = await (await fetch(`${base}/__urls.txt?reach=js`)).text();
  const application = scripted.split('\n').find((url) => new URL(url || base).pathname.startsWith('/app/')) ?? '';
  return (Array.isArray(listed) ? listed.filter(isRecord) : []).flatMap(({ url, expect }): Exhibit[] => {
    if (typeof url !== 'string' || !isRecord(expect)) return [];
    const name = new URL(url).pathname;
    const { http, browser } = expect;
    if (!isRecord(http) || !isRecord(browser)) return [{ name, url, expect, tier: 'browser' }];
    const [limited, shown] = [{ ...http, tierLimited: true }, application === '' ? url : application];
    return [
      { name, url, expect: limited, tier: 'http' },
      { name, url: shown, expect: browser, tier: 'browser' },
    ];
  });
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
function isAsExpected(page: PageRow, expect: Expectation): boolean {
  const { verdict, errorCode, warnings, signals, widget, tierLimited } = expect;
  // A page that needs a browser is TIER_LIMIT where none is allowed; the signal shows what plain http got.
  const shell = tierLimited === true && page.errorCode === 'TIER_LIMIT' && page.signals.includes('app shell');
  const holds = (have: readonly string[], expected: unknown): boolean =>
    !Array.isArray(expected) || expected.every((one) => have.includes(one));
  return (
    (verdict === undefined || page.verdict === verdict) &&
    (errorCode === undefined || page.errorCode === errorCode || (errorCode === 'SHELL' && shell)) &&
    holds(page.warnings, warnings) &&
    holds(page.signals, signals) &&
    (widget !== true || Boolean(page.widget))
  );
}

async function visit(api: Api, exhibit: Exhibit): Promise<ExhibitResult> {
  const startedAtMs = performance.now();
  const page = await capture(api, exhibit.url, exhibit.tier);
  const ms = performance.now() - startedAtMs;
  // A capture may take its timeout on each tier it tries.
  const inTime = ms < TIMEOUT_SECONDS * 1_000 * (exhibit.tier === 'browser' ? 2 : 1) + GRACE_MS;
  const { note, tierLimited: _, ...expected } = exhibit.expect;
  return {
    name: `${exhibit.name}${exhibit.tier === 'http' ? ' (http)' : ''}`,
    expected: Object.keys(expected).length === 0 ? `any: ${String(note)}` : JSON.stringify(expected),
    got: `${page.verdict} ${page.errorCode} ${page.tier} [${page.signals.join(', ')}]${page.widget ? ` ${page.widget}` : ''}: ${page.reason}`,
    ms,
    right: inTime && isAsExpected(page, exhibit.expect),
  };
}

async function tour(base: string): Promise<boolean> {
  const fleet = await startFleet({ egressAllow: HOST, logLevel: 'error' });
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
    for (const exhibit of await exhibits(base)) outcomes.push(await visit(writer, exhibit));
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

if (!existsSync(SITE)) {
  notMeasured('zoo', `there is no site server at ${SITE}`);
} else {
  const { child, base } = await startSite();
  try {
    await tour(base);
  } finally {
    child.kill();
  }
}
