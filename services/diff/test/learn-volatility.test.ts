import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '@tidemark/testkit';
import { type DiffTestServers, projectIn, startDiffServers } from './diff-servers.ts';
import type { FakePage } from './fake-peers.ts';

let setup: DiffTestServers;
beforeAll(async () => {
  setup = await startDiffServers({ RECAPTURE_DELAY_SECONDS: '0', RECAPTURE_GAP_SECONDS: '0' });
});
afterAll(() => setup.close());
afterEach(() => {
  setup.peers.recaptures.clear();
  setup.peers.recapturedUrls.length = 0;
  delete setup.peers.blockers.recapture;
});

const HOME = 'https://site.test/';
const home = (featured: string, text = 'Welcome to the harbour.'): FakePage => ({
  url: HOME,
  texts: [text],
  boxed: [`Featured today: ${featured}`],
});
/** Recaptures that differ from each other. */
const rotating = ['boats', 'buoys', 'nets'].map((featured) => home(featured));
const rowsOf = (table: string, projectId: string): Promise<readonly unknown[]> =>
  setup.servers.database.sql(`SELECT * FROM diff.${table} WHERE project_id = $1`, [projectId]);
const learned = (projectId: string) =>
  until('volatility to be learned', async () => (await rowsOf('anchors', projectId)).length > 0);

describe('learning volatility from recaptures', () => {
  it('makes the second run ignore blocks that change on every visit', async () => {
    const { run, projectId } = projectIn(setup);
    setup.peers.recaptures.set(HOME, rotating);
    await run({ pages: [home('ropes')] });
    await learned(projectId);
    expect(await rowsOf('volatility_jobs', projectId)).toEqual([]);
    const second = await run({ pages: [home('anchors')] });
    expect(second.record?.counts).toMatchObject({ same: 1, modified: 0, volatileBlocks: expect.any(Number) });
    expect(second.record?.counts['volatileBlocks']).toBeGreaterThan(0);
    expect(second.entries).toEqual([]);
    const third = await run({ pages: [home('sails', 'Welcome to the old harbour.')] });
    expect(third.entries).toMatchObject([{ kind: 'modified', wordsAdded: 1, wordsRemoved: 0 }]);
  });

  it.each([
    ['before the first recapture', ['boats', 'boats', 'boats']],
    ['between the first and the second recapture', ['ropes', 'boats', 'boats']],
    ['between the second and the third recapture', ['ropes', 'ropes', 'boats']],
    ['after the recaptures', ['ropes', 'ropes', 'ropes']],
  ])('leaves an edit that was made %s to the second record', async (_, recaptures) => {
    const { run, projectId } = projectIn(setup);
    setup.peers.recaptures.set(
      HOME,
      recaptures.map((featured) => home(featured)),
    );
    await run({ pages: [home('ropes')] });
    await until('the recaptures to end', async () => (await rowsOf('volatility_jobs', projectId)).length === 0);
    const second = await run({ pages: [home('boats')] });
    expect(second.record?.counts).toMatchObject({ modified: 1, volatileBlocks: 0 });
  });

  it('does not delay the next record and discards results that arrive after it', async () => {
    const { run, projectId } = projectIn(setup);
    setup.peers.recaptures.set(HOME, rotating);
    const recaptureBlocked = Promise.withResolvers<void>();
    setup.peers.blockers.recapture = () => recaptureBlocked.promise;
    await run({ pages: [home('ropes')] });
    await until('the page to be recaptured', async () => setup.peers.recapturedUrls.length > 0);
    const second = await run({ pages: [home('anchors')] });
    expect(second.record?.counts).toMatchObject({ modified: 1 });
    recaptureBlocked.resolve();
    await until('the volatility job to end', async () => (await rowsOf('volatility_jobs', projectId)).length === 0);
    const third = await run({ pages: [home('sails')] });
    expect(third.record?.counts).toMatchObject({ modified: 1 });
    expect(await rowsOf('volatility_jobs', projectId)).toEqual([]);
  });

  it('is skipped when nothing differs, for later runs and for runs with a login', async () => {
    const [same, member] = [projectIn(setup), projectIn(setup)];
    setup.peers.recaptures.set(HOME, home('ropes'));
    await same.run({ pages: [home('ropes')] });
    await until(
      'the volatility job to end',
      async () => (await rowsOf('volatility_jobs', same.projectId)).length === 0,
    );
    expect(await rowsOf('anchors', same.projectId)).toEqual([]);
    setup.peers.recapturedUrls.length = 0;
    await same.run({ pages: [home('ropes')] });
    await member.run({ pages: [home('ropes')], config: { login_id: 'lgn_01j5xq2w8se6fa7t0a6q1n3k2m' } });
    for (const { projectId } of [same, member]) expect(await rowsOf('volatility_jobs', projectId)).toEqual([]);
    expect(setup.peers.recapturedUrls).toEqual([]);
  });
});
