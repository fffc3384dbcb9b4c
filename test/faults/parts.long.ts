import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { OwnFleet } from '../harness/fleet.ts';
import { until } from '../harness/until.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { startWeb } from '../web/server.ts';
import { expectAllWell, startFaultyFleet } from './invariants.ts';
import { acceptedOf, inexcusable, startHeld, startLoad } from './load.ts';

const web = await startWeb();
let fleet: OwnFleet;
let workspace: Workspace;

beforeAll(async () => {
  fleet = await startFaultyFleet();
}, 90_000);
beforeEach(async () => {
  workspace = await fleet.workspaces.make();
});
afterAll(async () => {
  await fleet?.close();
  await web.close();
}, 30_000);

const LIMIT_MS = 150_000;

test(
  'NATS restarted under load: captures succeed, and every event is delivered',
  async () => {
    const load = startLoad(workspace.writer, web.url('/article'));
    await load.accepts(10);
    await fleet.stack.parts.nats.kill('SIGKILL');
    await load.accepts(10);
    await fleet.stack.parts.nats.restart();
    await load.accepts(10);
    const outcomes = await load.stop();
    expect(inexcusable(outcomes)).toEqual({});
    await expectAllWell(fleet, workspace, { accepted: acceptedOf(outcomes) });
  },
  LIMIT_MS,
);

test(
  'NATS loses its disk: streams and consumers are created again, and lost messages are published again',
  async () => {
    const held = await startHeld(workspace.writer, web, 'disk');
    const load = startLoad(workspace.writer, web.url('/article'));
    await load.accepts(10);
    await fleet.stack.parts.nats.kill('SIGKILL');
    rmSync(join(fleet.dataDir, 'nats/jetstream'), { recursive: true });
    await load.accepts(5);
    await fleet.stack.parts.nats.restart();
    await load.accepts(5);
    web.open('disk');
    const outcomes = await load.stop();
    expect(inexcusable(outcomes)).toEqual({});
    const ended = await expectAllWell(fleet, workspace, { accepted: [held, ...acceptedOf(outcomes)] });
    expect(ended.get(held)).toBe('done');
  },
  LIMIT_MS,
);

test(
  'Postgres restarted under load: callers see 503 at most, the page under way ends, and nothing is lost or doubled',
  async () => {
    const held = await startHeld(workspace.writer, web, 'postgres');
    const load = startLoad(workspace.writer, web.url('/article'));
    await load.accepts(10);
    await fleet.stack.parts.postgres.restart();
    web.open('postgres');
    await load.accepts(10);
    const outcomes = await load.stop();
    expect(inexcusable(outcomes)).toEqual({});
    const ended = await expectAllWell(fleet, workspace, { accepted: [held, ...acceptedOf(outcomes)] });
    expect(ended.get(held)).toBe('done');
  },
  LIMIT_MS,
);

test(
  'Postgres killed under load: what was acknowledged is there when it is back',
  async () => {
    const load = startLoad(workspace.writer, web.url('/tiny'));
    await load.accepts(10);
    await fleet.stack.parts.postgres.kill('SIGKILL');
    await until('the gateway to return 503', async () => (await workspace.reader.get('/scrape')).status === 503, {
      withinMs: 10_000,
    });
    await fleet.stack.parts.postgres.restart();
    await load.accepts(10);
    const outcomes = await load.stop();
    expect(inexcusable(outcomes)).toEqual({});
    await expectAllWell(fleet, workspace, { accepted: acceptedOf(outcomes) });
  },
  LIMIT_MS,
);

test(
  'Redis gone and back: no request fails, and keys are held to their rates by the gateway itself',
  async () => {
    const limited = await fleet.workspaces.key(workspace.id, { scopes: ['read'], rpm: 3 });
    const load = startLoad(workspace.writer, web.url('/tiny'));
    await load.accepts(5);
    await fleet.stack.parts.redis.kill('SIGKILL');
    await load.accepts(10);
    const statuses = [];
    for (let i = 0; i < 5; i += 1) statuses.push((await limited.get('/me')).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    await fleet.stack.parts.redis.restart();
    await load.accepts(5);
    const outcomes = await load.stop();
    expect(outcomes.filter((outcome) => !('accepted' in outcome))).toEqual([]);
    await expectAllWell(fleet, workspace, { accepted: acceptedOf(outcomes) });
  },
  LIMIT_MS,
);
