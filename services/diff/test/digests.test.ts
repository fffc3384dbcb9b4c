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

/** Returns a finished record with functions to store and read its digest. */
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

describe('DiffService.StoreDigest', () => {
  it('stores the digest idempotently and returns it with the record', async () => {
    const { keep, told } = await aRecord();
    expect(await told()).toBeUndefined();
    await keep(DIGEST);
    await keep(DIGEST);
    expect(JSON.parse((await told()) ?? '')).toEqual(DIGEST);
  });

  it('returns not_found for an unknown record and for another workspace', async () => {
    const { keep, told } = await aRecord();
    await expect(keep(DIGEST, { workspace: newWorkspace() })).rejects.toMatchObject(NOT_FOUND);
    await expect(keep(DIGEST, { runId: newId('run') })).rejects.toMatchObject(NOT_FOUND);
    await expect(keep(DIGEST, { projectId: newId('prj') })).rejects.toMatchObject(NOT_FOUND);
    expect(await told()).toBeUndefined();
  });

  it.each([
    ['no summary', { points: [], significant: false }],
    ['six points', { ...DIGEST, points: Array(6).fill('x') }],
    ['text in place of a flag', { ...DIGEST, significant: 'very' }],
    ['no object', null],
  ])('rejects a digest with %s', async (_, digest) => {
    const { keep } = await aRecord();
    await expect(keep(digest)).rejects.toMatchObject({ code: 'validation' });
  });

  it('rejects a digest above 16 KB', async () => {
    const { keep } = await aRecord();
    await expect(keep({ ...DIGEST, summary: 'x'.repeat(20_000) })).rejects.toMatchObject({ code: 'too_large' });
  });
});
