import { fork } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { apiOf } from '../../test/harness/api.ts';
import type { OwnFleet } from '../../test/harness/fleet.ts';
import { memoryMbOf } from '../crawl/cost.ts';
import { processesOf, startBenchFleet } from '../crawl/fleet.ts';
import type { LoadOrder, LoadResult } from '../memory/hostile-load.ts';
import { printTable } from '../shared/table.ts';

const HELP = `npm run bench -- memory-limit [--seconds 60] [--clients 24] [--scale 1]

Starts the fleet as the embedded default does, with its memory limits, and sends more work than fits: pages of 8 MB in every
format, batches and crawls of pages of 2 MB, lists with bodies, clients that read slowly. --scale multiplies the limits (TIDEMARK_MEMORY_SCALE). Prints responses by status, refusals by cause, the peak
memory (PSS) of each process, whether a process ended, and whether accepted jobs ended. Exit code 1 where a process ended, a
refusal had no Retry-After, a status was unexpected, or an accepted job did not end.`;

const WITHIN_MS = 480_000;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    clients: { type: 'string', default: '24' },
    scale: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
});

/** Statuses that a request of this load may be answered with. */
const EXPECTED = /(200|202|400|413|422|429|503)$/;

/** Sends the load and returns what its clients received, with the highest PSS of each process meanwhile, MB. */
async function load(fleet: OwnFleet, keys: readonly string[]) {
  const child = fork(join(import.meta.dirname, '../memory/hostile-load.ts'), [`--clients=${values.clients}`]);
  const peaks = new Map<string, number>();
  const watch = setInterval(() => {
    for (const each of processesOf(fleet))
      peaks.set(each.name, Math.max(peaks.get(each.name) ?? 0, memoryMbOf([each])));
  }, 250);
  try {
    await new Promise((resolve) => child.once('message', resolve));
    const order: LoadOrder = { url: fleet.url, keys, seconds: Number(values.seconds) };
    const result = await new Promise<LoadResult>((resolve) => {
      child.once('message', (message: LoadResult) => resolve(message));
      child.send(order);
    });
    const ended = await untilEnded(fleet, result.accepted);
    return { result, peaks, ended };
  } finally {
    clearInterval(watch);
    child.kill();
  }
}

const UNFINISHED: ReadonlySet<string> = new Set(['queued', 'running']);
const POLL_MS = 500;

/** Waits for the accepted jobs. @returns their number by final status */
async function untilEnded(fleet: OwnFleet, accepted: LoadResult['accepted']): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {};
  const endsAtMs = performance.now() + WITHIN_MS;
  for (const { path, key } of accepted) {
    let status = 'queued';
    while (UNFINISHED.has(status) && performance.now() < endsAtMs) {
      status = (await readStatus(fleet, path, key)) ?? status;
      if (UNFINISHED.has(status)) await sleep(POLL_MS);
    }
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  return statuses;
}

/** Returns the status of a job; undefined where the fleet refuses the request for now. */
async function readStatus(fleet: OwnFleet, path: string, key: string): Promise<string | undefined> {
  const { body, status: code } = await apiOf(fleet.url, key).get(`${path}?limit=1&formats=links`);
  if (code >= 400 && code !== 503 && code !== 429) throw new Error(`${path} responded with ${code}`);
  if (code !== 200) return undefined;
  return typeof body === 'object' && body !== null && 'status' in body ? String(body.status) : `${code}`;
}

/** Returns the highest share of a memory limit of each service's process, from its metrics. */
async function sharesOf(fleet: OwnFleet): Promise<string> {
  const shares = await Promise.all(
    Object.entries(fleet.http).map(async ([name, address]) => {
      const text = await fetch(`http://${address}/metrics`, { signal: AbortSignal.timeout(5_000) }).then(
        (response) => response.text(),
        () => '',
      );
      return `${name} ${/^tidemark_memory_share\S* (\S+)/m.exec(text)?.[1]?.slice(0, 4) ?? 'unknown'}`;
    }),
  );
  return shares.join(', ');
}

async function main(): Promise<void> {
  process.env['TIDEMARK_MEMORY_SCALE'] = values.scale;
  const fleet = await startBenchFleet([
    'identity',
    'billing',
    'archive',
    'scrape',
    'map',
    'crawl',
    'projects',
    'diff',
    'export',
    'delivery',
    'gateway',
  ]);
  try {
    const workspaces = await Promise.all([1, 2, 3, 4].map(() => fleet.workspaces.make()));
    const before = processesOf(fleet);
    const { result, peaks, ended } = await load(
      fleet,
      workspaces.map(({ writer }) => writer.key),
    );
    const shares = await sharesOf(fleet);
    const after = processesOf(fleet);
    const died = before.filter(({ pid }) => !after.some((each) => each.pid === pid));
    printTable(
      ['request and status', 'responses'],
      Object.entries(result.responses)
        .toSorted()
        .map(([name, count]) => [name, String(count)]),
    );
    printTable(
      ['refused with', 'responses'],
      Object.entries(result.refusals)
        .toSorted(([, a], [, b]) => b - a)
        .map(([cause, count]) => [cause, String(count)]),
    );
    console.log(`share of the nearest memory limit at the end: ${shares}`);
    printTable(
      ['process', 'peak PSS, MB'],
      [...peaks].map(([name, mb]) => [name.length > 60 ? 'light services' : name, mb.toFixed(0)]),
    );
    const refused = Object.entries(result.responses).reduce(
      (sum, [name, count]) => sum + (name.endsWith(' 503') ? count : 0),
      0,
    );
    const unexpected = Object.keys(result.responses).filter((name) => !EXPECTED.test(name));
    console.log(`refused with 503: ${refused}, without Retry-After: ${result.withoutRetryAfter}`);
    console.log(`processes that ended: ${died.length === 0 ? 'none' : died.map(({ name }) => name).join(', ')}`);
    console.log(`accepted jobs by final status: ${JSON.stringify(ended)}`);
    if (unexpected.length > 0) console.log(`unexpected: ${unexpected.join(', ')}`);
    const isUnended = (ended['queued'] ?? 0) + (ended['running'] ?? 0) + (ended['error'] ?? 0) > 0;
    if (died.length > 0 || isUnended || result.withoutRetryAfter > 0 || unexpected.length > 0) process.exitCode = 1;
  } finally {
    await fleet.close();
  }
}

if (values.help) console.log(HELP);
else await main();
