import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { until } from '@tidemark/testkit';
import type { RunToTell } from '../src/telling/ports.ts';
import type { MadeTold } from './telling-fleet.ts';
import { changed, projectOn, RECORD } from './telling-project.ts';
import { openTellings, queuedWhen, type TellingServers } from './telling-servers.ts';

let servers: TellingServers;
beforeAll(async () => {
  servers = await openTellings();
}, 120_000);
beforeEach(() => {
  servers.fleet.tellsFacts = true;
  Object.assign(servers.people, { digest: null, digests: 0, noticed: [], beforeDigest: async () => undefined });
});
afterAll(() => servers.close());

/** A run of a project that has a model. */
const project = (told: Partial<MadeTold> = {}, workspaceId?: string, on = servers) =>
  projectOn(on, { digestConnectionId: 'con_1' }, told, workspaceId);

describe('a digest', () => {
  it('comes with run.finished, is kept with the record, and is asked for once', async () => {
    servers.people.digest = { summary: 'Prices rose.', points: ['Team costs more'], significant: true };
    const { runId, finish, ready } = project({ facts: [[changed(1)]] });
    servers.fleet.tellsFacts = false;
    await finish();
    await ready();
    const [told] = await queuedWhen(servers, { runId }, ({ length }) => length === 1);
    await until('a second try', () => servers.people.noticed.length > 1);
    expect(told?.message.data['digest']).toEqual(servers.people.digest);
    expect(JSON.parse(servers.fleet.keptDigests.get(runId) ?? '')).toEqual(servers.people.digest);
    expect(servers.people.digests).toBe(1);
    expect(servers.people.noticed).toContain(`${runId}: Prices rose.`);
  });
});

describe('a model that is slow', () => {
  it('is asked one thing at a time by a workspace, and holds up the tellings of nobody else', async () => {
    const gate = Promise.withResolvers<void>();
    let [asking, most] = [0, 0];
    servers.people.beforeDigest = async () => {
      asking += 1;
      most = Math.max(most, asking);
      await gate.promise;
      asking -= 1;
    };
    const first = project();
    const same = Array.from({ length: 6 }, () => project({}, first.workspaceId));
    for (const { finish, ready } of [first, ...same]) {
      await finish();
      await ready();
    }
    await until('the model to be asked', () => asking > 0);
    const other = projectOn(servers);
    await other.finish();
    await other.ready();
    await queuedWhen(servers, other, ({ length }) => length > 0);
    const otherWorkspace = project();
    await otherWorkspace.finish();
    await otherWorkspace.ready();
    await until('the other workspace’s model to be asked', () => asking === 2);
    expect(await servers.queued(first)).toEqual([]);
    gate.resolve();
    for (const { runId } of [first, ...same, otherWorkspace])
      await queuedWhen(servers, { runId }, ({ length }) => length > 0);
    expect(most).toBe(2);
  }, 30_000);

  it('is waited for so long and no longer, and asked once, though its answer comes too late', async () => {
    const impatient = await openTellings(600, 1);
    const gate = Promise.withResolvers<void>();
    try {
      impatient.people.beforeDigest = () => gate.promise;
      impatient.people.digest = { summary: 'Too late.', points: [], significant: true };
      const { runId, finish, ready } = project({}, undefined, impatient);
      await finish();
      await ready();
      const [told] = await queuedWhen(impatient, { runId }, ({ length }) => length === 1);
      expect(told?.message.data['digest']).toBeNull();
      gate.resolve();
      const after = project({}, undefined, impatient);
      await after.finish();
      await after.ready();
      const [next] = await queuedWhen(impatient, after, ({ length }) => length > 0);
      expect(next?.message.data['digest']).toEqual(impatient.people.digest);
      expect(await impatient.queued({ runId })).toHaveLength(1);
      expect(impatient.fleet.keptDigests.has(runId)).toBe(false);
      expect(impatient.people.digests).toBe(2);
    } finally {
      await impatient.close();
    }
  }, 60_000);
});

describe('what changed in a record', () => {
  it('is asked for and told, though thirty pages that could not be read come first', async () => {
    const unread = Array.from({ length: 30 }, (_, at) => ({ kind: 'unverified', url: `https://site.test/${at}` }));
    const entries = [...unread, { kind: 'template', url: 'https://site.test/x', blocks: [] }];
    const record = { ...RECORD, counts: { ...RECORD?.counts, modified: 0, unverified: 30 } };
    const asked: RunToTell[] = [];
    servers.people.beforeDigest = async (told) => void asked.push(told);
    const { runId, finish, ready } = project({ record, entries });
    await finish();
    await ready();
    await queuedWhen(servers, { runId }, ({ length }) => length > 0);
    expect(asked.map((told) => told.entries.map(({ kind }) => kind))).toEqual([['template']]);
  });
});
