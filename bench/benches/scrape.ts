import { fork } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ALL_PROJECTS, accessToWire, OPERATOR, onOwnBehalf } from '@tidemark/contracts';
import { IdentityServiceService as Identity } from '@tidemark/contracts/identity/v1/identity';
import { Pool } from 'undici';
import { operatorPeer } from '../../deploy/local/operator-peer.ts';
import { type Stack, startStack } from '../../deploy/local/stack.ts';
import { cpuOfTreeMs } from '../shared/cpu.ts';
import { type LoadResult, median, runLoad } from '../shared/load.ts';

const HELP = `npm run bench -- scrape [--seconds 6] [--rounds 2] [--connections 1,10,20,50]

Scrapes one loopback page of about 40 KB through the whole fleet, and, in turns, reads the same page with the same code in
bare processes. Prints requests/s, p50 and p95, CPU per page by process, and milliseconds per stage.`;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '6' },
    rounds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '1,10,20,50' },
    help: { type: 'boolean' },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const seconds = Number(values.seconds);
const rounds = Number(values.rounds);
const counts = values.connections.split(',').map(Number);
const here = import.meta.dirname;
const dataDir = resolve(here, '../../.tidemark/bench-scrape');

interface Target {
  readonly url: string;
  readonly bytes: number;
  stop(): void;
}

function startTarget(): Promise<Target> {
  const child = fork(join(here, '../scrape/target-site.ts'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  return new Promise((ready) => {
    child.once('message', (site: { port: number; bytes: number }) =>
      ready({ url: `http://127.0.0.2:${site.port}/page`, bytes: site.bytes, stop: () => void child.kill() }),
    );
  });
}

/** Runs the bare pipeline in `processes` processes at once. */
async function bare(
  url: string,
  processes: number,
  connections: number,
): Promise<{ perSecond: number; p50Ms: number; p95Ms: number; cpuMs: number }> {
  const results = await Promise.all(
    Array.from({ length: processes }, () => {
      const child = fork(join(here, '../scrape/bare-pipeline.ts'), [JSON.stringify({ url, connections, seconds })], {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      });
      return new Promise<LoadResult & { cpuMs: number }>((done) =>
        child.once('message', (result: LoadResult & { cpuMs: number }) => done(result)),
      );
    }),
  );
  return {
    perSecond: results.reduce((sum, r) => sum + r.perSecond, 0),
    p50Ms: median(results.map((r) => r.p50Ms)),
    p95Ms: median(results.map((r) => r.p95Ms)),
    cpuMs: median(results.map((r) => r.cpuMs)),
  };
}

/** Creates a workspace whose credits and rate limit do not limit the benchmark. */
async function makeKey(stack: Stack): Promise<string> {
  const identity = operatorPeer(stack.dataDir, 'identity', stack.services.get('identity')?.grpcAddr ?? '');
  const { workspace } = await identity.call(
    Identity.createWorkspace,
    { name: 'bench', plan: 'free', idempotencyKey: 'bench' },
    { requestId: 'bench' },
  );
  const caller = onOwnBehalf(OPERATOR, workspace?.id ?? '');
  const { secret } = await identity.call(
    Identity.createKey,
    { name: 'bench', scopes: ['write'], access: accessToWire(ALL_PROJECTS), expiresInDays: undefined, rpm: undefined },
    { requestId: 'bench', caller },
  );
  await identity.close();
  return secret;
}

function scraper(stack: Stack, key: string, url: string) {
  const pool = new Pool(stack.url, { connections: 64 });
  const stages: Record<string, number[]> = {};
  const body = JSON.stringify({ url, formats: 'markdown' });
  const once = async () => {
    const response = await pool.request({
      path: '/v1/scrape',
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body,
    });
    const text = await response.body.text();
    if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${text.slice(0, 300)}`);
    const [page] = JSON.parse(text).data;
    if (page?.verdict !== 'ok' || !page.markdown) throw new Error(`no page: ${text.slice(0, 300)}`);
    for (const [stage, ms] of Object.entries(page.timingsMs)) {
      stages[stage] ??= [];
      if (typeof ms === 'number') stages[stage].push(ms);
    }
  };
  return { once, stages, close: () => pool.close() };
}

function cpuByProcess(stack: Stack): Map<string, number> {
  const byPid = new Map<number, string[]>();
  for (const { name, pid } of stack.services.values()) byPid.set(pid, [...(byPid.get(pid) ?? []), name]);
  const roots: [string, number][] = [...byPid].map(([pid, names]) => [names.join('+'), pid]);
  for (const [name, part] of Object.entries(stack.parts)) if (part.pid !== undefined) roots.push([name, part.pid]);
  return new Map(roots.map(([name, pid]) => [name, cpuOfTreeMs(pid)]));
}

const show = (n: number, digits = 1): string => (Number.isFinite(n) ? n.toFixed(digits) : '-').padStart(8);

const target = await startTarget();
rmSync(dataDir, { recursive: true, force: true });
mkdirSync(dataDir, { recursive: true });
const catalogue = join(dataDir, 'catalogue.json');
writeFileSync(
  catalogue,
  JSON.stringify({
    plans: { free: { welcomeCredits: 2_000_000_000, rpm: 100_000_000, subAccounts: 0 } },
    ladder: [
      { tier: 'http', credits: 1, says: '' },
      { tier: 'browser', credits: 5, says: '' },
    ],
  }),
);
const env = { TIDEMARK_CATALOGUE: catalogue };
const stack = await startStack({
  dataDir,
  services: ['identity', 'billing', 'archive', 'scrape', 'map', 'crawl', 'gateway'],
  egressAllow: new URL(target.url).host,
  env: { identity: env, billing: env, gateway: env, scrape: env },
  logLevel: 'warn',
});
try {
  const key = await makeKey(stack);
  const { once, stages, close } = scraper(stack, key, target.url);
  console.log(`page of ${target.bytes} bytes, ${rounds} rounds of ${seconds} s, in turns with the bare pipeline`);
  // Warm-up: compilers and connection pools need some hundred pages.
  await runLoad(once, { connections: 10, seconds: 15 });
  for (const list of Object.values(stages)) list.length = 0;

  const alone = await bare(target.url, 1, 1);
  const both: Awaited<ReturnType<typeof bare>>[] = [];
  const fleet = new Map<number, LoadResult[]>();
  const cpu = new Map<string, number>();
  let pages = 0;
  for (let round = 0; round < rounds; round += 1) {
    for (const connections of counts) {
      const before = cpuByProcess(stack);
      const result = await runLoad(once, { connections, seconds });
      for (const [name, ms] of cpuByProcess(stack)) cpu.set(name, (cpu.get(name) ?? 0) + ms - (before.get(name) ?? 0));
      pages += result.count;
      fleet.set(connections, [...(fleet.get(connections) ?? []), result]);
    }
    both.push(await bare(target.url, 2, 10));
  }

  const twoCores = median(both.map((r) => r.perSecond));
  console.log(
    `\nbare pipeline, 1 connection      ${show(alone.perSecond)} pages/s   p50 ${show(alone.p50Ms)} ms   p95 ${show(alone.p95Ms)} ms`,
  );
  console.log(`bare pipeline, two processes     ${show(twoCores)} pages/s`);
  console.log('\nconnections   pages/s    p50 ms    p95 ms    p99 ms  of bare  errors');
  for (const [connections, results] of fleet) {
    const perSecond = median(results.map((r) => r.perSecond));
    const cells = [
      perSecond,
      median(results.map((r) => r.p50Ms)),
      median(results.map((r) => r.p95Ms)),
      median(results.map((r) => r.p99Ms)),
    ].map((n) => show(n));
    console.log(
      `${String(connections).padStart(11)}  ${cells.join('  ')}  ${((100 * perSecond) / twoCores).toFixed(0).padStart(5)} %  ${results.reduce((sum, r) => sum + r.errors, 0)}`,
    );
  }
  const one = fleet.get(1);
  if (one !== undefined) {
    console.log(
      `\nadded at 1 connection: p50 +${(median(one.map((r) => r.p50Ms)) - alone.p50Ms).toFixed(1)} ms (goal <= 12), p95 +${(median(one.map((r) => r.p95Ms)) - alone.p95Ms).toFixed(1)} ms (goal <= 50)`,
    );
  }
  const twenty = fleet.get(20);
  if (twenty !== undefined) {
    const perSecond = median(twenty.map((r) => r.perSecond));
    console.log(
      `at 20 connections: ${perSecond.toFixed(0)} pages/s (goal >= 60), ${((100 * perSecond) / twoCores).toFixed(0)} % of what two cores give the bare pipeline (goal >= 50)`,
    );
  }
  console.log(
    `\nCPU ms a page by process (the bare pipeline: ${median(both.map((r) => r.cpuMs)).toFixed(2)}; all of the fleet: ${([...cpu.values()].reduce((a, b) => a + b, 0) / pages).toFixed(2)}):`,
  );
  for (const [name, ms] of cpu) console.log(`  ${name.padEnd(40)}${show(ms / pages, 2)}`);
  console.log('\nmilliseconds a page by stage (median):');
  for (const [stage, list] of Object.entries(stages)) console.log(`  ${stage.padEnd(40)}${show(median(list), 2)}`);
  await close();
} finally {
  await stack.stop();
  target.stop();
}
