import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readDocument } from '../contract/document.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { measureAtRest, type ProcessMemory } from '../harness/memory.ts';
import { startWeb } from '../web/server.ts';
import { makePool, type Pool } from './attack/pool.ts';
import { requestsOf } from './attack/requests.ts';
import { runAll } from './attack/run-all.ts';
import { plan, seed } from './attack/settings.ts';
import { targetsOf } from './attack/targets.ts';

/** Requests to each route before the first measurement, and between the two. */
const WARM_UP = 4;
const LOAD = 16;
/** Highest growth of a service process under the load, MB. The load is four times the warm-up. */
const MAX_HEAP_GROWTH_MB = 12;
const MAX_PSS_GROWTH_MB = 40;
const WITHIN_MS = 120_000;
/** Time in which the memory is released after the load, ms. */
const REST_WITHIN_MS = 120_000;

const fleet = sharedFleet();
const web = await startWeb();
const document = await readDocument(fleet);
const targets = targetsOf(document);
let pool: Pool;

beforeAll(async () => {
  pool = await makePool(fleet, web, plan);
});
afterAll(async () => {
  await web.close();
  await fleet.close();
});

/** Sends generated requests to every route. What is wrong with the responses is for the other tests. */
async function load(runs: number, from: number): Promise<void> {
  const sender = { url: fleet.url, key: () => pool.workspace.admin.key, check: () => [] };
  const untilMs = performance.now() + WITHIN_MS;
  const attempts = targets.flatMap((target) =>
    fc.sample(requestsOf(target, { document, pool }), { numRuns: runs, seed: from }),
  );
  await runAll(sender, attempts, { untilMs, mostFailures: attempts.length });
}

/** Growth of a process since a measurement, MB. */
interface Growth {
  readonly name: string;
  readonly isAlive: boolean;
  readonly heap: number;
  readonly pss: number;
  readonly isService: boolean;
}

async function growthSince(before: readonly ProcessMemory[]): Promise<Growth[]> {
  const after = await measureAtRest(fleet.dataDir);
  return before.map(({ name, pid, heapMb, pssMb }) => {
    const now = after.find((one) => one.pid === pid);
    return {
      name,
      isAlive: now !== undefined,
      heap: (now?.heapMb ?? 0) - (heapMb ?? 0),
      pss: (now?.pssMb ?? 0) - pssMb,
      isService: heapMb !== undefined,
    };
  });
}

const isTooBig = ({ isService, heap, pss }: Growth): boolean =>
  isService && (heap > MAX_HEAP_GROWTH_MB || pss > MAX_PSS_GROWTH_MB);

test('generated requests leave the memory of every service process as it was', async () => {
  await load(WARM_UP, seed);
  const before = await measureAtRest(fleet.dataDir);
  await load(LOAD, seed + 1);
  // What the requests started, such as captures and records, is still under way for some time.
  const untilMs = performance.now() + REST_WITHIN_MS;
  let changes = await growthSince(before);
  while (changes.some(isTooBig) && performance.now() < untilMs) changes = await growthSince(before);
  console.info(
    changes.map(({ name, heap, pss }) => `${name}: heap ${heap.toFixed(1)} MB, PSS ${pss.toFixed(1)} MB`).join('\n'),
  );
  expect(changes.filter(({ isAlive }) => !isAlive)).toEqual([]);
  expect(changes.filter(isTooBig)).toEqual([]);
}, 540_000);
