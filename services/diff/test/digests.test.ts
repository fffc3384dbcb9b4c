import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import type { Digest } from '@tidemark/contracts/diff/v1/diff';
import { DiffServiceService as Rpc } from '@tidemark/contracts/diff/v1/diff';
import { callerIn, newWorkspace } from '@tidemark/testkit';
import { type DiffTestServers, projectIn, startDiffServers } from './diff-servers.ts';

const DIGEST = { summary: 'The berth fee rose.', points: ['From 12 to 14 euros.'], significant: true };
const NOT_FOUND = { code: 'not_found' };

let setup: DiffTestServers;
beforeAll(async () => {
  setup = await startDiffServers();
});
afterAll(() => setup.close());

interface Override {
  readonly workspace?: string;
  readonly projectId?: string;
  readonly runId?: string;
}

/** Returns a finished record with functions to store and read its digest. */
async function finishedRecord() {
  const workspaceId = newWorkspace();
  const { projectId, run } = projectIn(setup, workspaceId);
  const { record } = await run({ pages: [{ url: 'https://site.test/', texts: ['Welcome to the harbour.'] }] });
  const runId = record?.runId ?? '';
  const storeDigest = (digest: Digest | undefined, { workspace = workspaceId, ...more }: Override = {}) =>
    setup.service.peer.call(Rpc.storeDigest, { projectId, runId, digest, ...more }, callerIn(workspace));
  const readDigest = async () => {
    const request = { projectId, runId, after: 0, limit: 1, unreviewed: false };
    return (await setup.service.peer.call(Rpc.getRecord, request, callerIn(workspaceId))).record?.digest;
  };
  return { storeDigest, readDigest };
}

describe('DiffService.StoreDigest', () => {
  it('stores the digest idempotently and returns it with the record', async () => {
    const { storeDigest, readDigest } = await finishedRecord();
    expect(await readDigest()).toBeUndefined();
    await storeDigest(DIGEST);
    await storeDigest(DIGEST);
    expect(await readDigest()).toEqual(DIGEST);
  });

  it('returns not_found for an unknown record and for another workspace', async () => {
    const { storeDigest, readDigest } = await finishedRecord();
    await expect(storeDigest(DIGEST, { workspace: newWorkspace() })).rejects.toMatchObject(NOT_FOUND);
    await expect(storeDigest(DIGEST, { runId: newId('run') })).rejects.toMatchObject(NOT_FOUND);
    await expect(storeDigest(DIGEST, { projectId: newId('prj') })).rejects.toMatchObject(NOT_FOUND);
    expect(await readDigest()).toBeUndefined();
  });

  it.each([
    ['no summary', { summary: '', points: [], significant: false }],
    ['six points', { ...DIGEST, points: Array(6).fill('x') }],
    ['nothing in it', undefined],
  ])('rejects a digest with %s', async (_, digest) => {
    const { storeDigest } = await finishedRecord();
    await expect(storeDigest(digest)).rejects.toMatchObject({ code: 'validation' });
  });

  it('rejects a digest above 16 KB', async () => {
    const { storeDigest } = await finishedRecord();
    await expect(storeDigest({ ...DIGEST, summary: 'x'.repeat(20_000) })).rejects.toMatchObject({ code: 'too_large' });
  });
});
