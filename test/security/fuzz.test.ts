import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { makeResponseChecker, readDocument } from '../contract/document.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { startWeb } from '../web/server.ts';
import type { Sender } from './attack/attempt.ts';
import { makePool, type Pool } from './attack/pool.ts';
import { requestsOf } from './attack/requests.ts';
import { runAll } from './attack/run-all.ts';
import { plan, replay, runsPerRoute, seed, withinMs } from './attack/settings.ts';
import { targetsOf } from './attack/targets.ts';

const fleet = sharedFleet();
const web = await startWeb();
const document = await readDocument(fleet);
const targets = targetsOf(document);
const total = new Map<number, number>();
let pool: Pool;
let sender: Sender;
let startedAtMs = 0;

beforeAll(async () => {
  pool = await makePool(fleet, web, plan);
  sender = { url: fleet.url, key: () => pool.workspace.admin.key, check: makeResponseChecker(document) };
  startedAtMs = performance.now();
});
afterAll(async () => {
  await web.close();
  await fleet.close();
});

describe('a generated request of any kind is answered in time, as the document says, and never with 500:', () => {
  test.each(targets.map((target, at) => [`${target.method} ${target.path}`, target, at] as const))(
    '%s',
    async (title, target, at) => {
      // Each route has its share of the time, and what those before it left.
      const untilMs = startedAtMs + (withinMs * (at + 1)) / targets.length;
      const attempts = fc.sample(requestsOf(target, { document, pool }), { numRuns: runsPerRoute, seed });
      const { failures, statuses } = await runAll(sender, attempts, { untilMs });
      for (const [status, count] of statuses) total.set(status, (total.get(status) ?? 0) + count);
      expect(failures.length === 0 ? '' : `${failures.join('\n')}\n\nagain with: ${replay(title)}`).toBe('');
    },
    120_000,
  );

  test('most were answered for what they are, and not for the rate of requests', () => {
    const sent = [...total.values()].reduce((sum, count) => sum + count, 0);
    expect(sent).toBeGreaterThanOrEqual(targets.length);
    expect((total.get(429) ?? 0) / sent).toBeLessThan(0.02);
    console.info(
      `${sent} requests: ${[...total]
        .sort(([a], [b]) => a - b)
        .map(([status, count]) => `${status} × ${count}`)
        .join(', ')}`,
    );
  });
});
