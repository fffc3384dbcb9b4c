import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { DiffServiceService as Rpc } from '@tidemark/contracts/diff/v1/diff';
import { callerIn, newWorkspace } from '@tidemark/testkit';
import { type DiffTestServers, projectIn, startDiffServers } from './diff-servers.ts';

const DIGEST = { summary: 'The berth fee rose.', points: ['From 12 to 14 euros.'], significant: true };
const NOT_FOUND = { code: 'not_found' };

let ground: DiffTestServers;
beforeAll(async () => {
  ground = await startDiffServers();
}, 60_000);
afterAll(() => ground.close());

interface Wrong {
  readonly workspace?: string;
  readonly projectId?: string;
  readonly runId?: string;
}

/** A record that is made, and how its digest is kept and told. */
async function aRecord() {
  const workspaceId = newWorkspace();
  const { projectId, run } = projectIn(ground, workspaceId);
  const { record } = await run({ pages: [{ url: 'https://site.test/', texts: ['Welcome to the harbour.'] }] });
  const runId = record?.runId ?? '';
  const keep = (digest: unknown, { workspace = workspaceId, ...more }: Wrong = {}) =>
    ground.service.peer.call(
      Rpc.storeDigest,
      { projectId, runId, digestJson: JSON.stringify(digest), ...more },
      callerIn(workspace),
    );
  const told = async () => {
    const wish = { projectId, runId, after: 0, limit: 1, kind: '', unreviewed: false };
    return (await ground.service.peer.call(Rpc.getRecord, wish, callerIn(workspaceId))).record?.digestJson;
  };
  return { keep, told };
}

describe('the digest of a record', () => {
  it('is told with it once it is kept, however often that is', async () => {
    const { keep, told } = await aRecord();
    expect(await told()).toBeUndefined();
    await keep(DIGEST);
    await keep(DIGEST);
    expect(JSON.parse((await told()) ?? '')).toEqual(DIGEST);
  });

  it('is not kept for a record that is gone, or another workspace’s', async () => {
    const { keep, told } = await aRecord();
    await expect(keep(DIGEST, { workspace: newWorkspace() })).rejects.toMatchObject(NOT_FOUND);
    await expect(keep(DIGEST, { runId: newId('run') })).rejects.toMatchObject(NOT_FOUND);
    await expect(keep(DIGEST, { projectId: newId('prj') })).rejects.toMatchObject(NOT_FOUND);
    expect(await told()).toBeUndefined();
  });

  it.each([
    ['no summary', { points: [], significant: false }],
    ['six points', { ...DIGEST, points: Array(6).fill('x') }],
    ['a word for a flag', { ...DIGEST, significant: 'very' }],
    ['no object', null],
  ])('is refused with %s', async (_, digest) => {
    const { keep } = await aRecord();
    await expect(keep(digest)).rejects.toMatchObject({ code: 'validation' });
  });

  it('is refused beyond 16 KB', async () => {
    const { keep } = await aRecord();
    await expect(keep({ ...DIGEST, summary: 'x'.repeat(20_000) })).rejects.toMatchObject({ code: 'too_large' });
  });
});
