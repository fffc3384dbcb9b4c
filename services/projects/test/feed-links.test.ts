import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { ProjectsServiceService as Rpc } from '@tidemark/contracts/projects/v1/projects';
import { newWorkspace } from '@tidemark/testkit';
import { type ProjectsWithFakes, rpcClient, startWithFakes } from './start-with-fakes.ts';

let fixture: ProjectsWithFakes;
beforeAll(async () => {
  fixture = await startWithFakes();
}, 120_000);
afterAll(() => fixture.close());

const client = (...more: [string?, Parameters<typeof rpcClient>[2]?]) => rpcClient(fixture.service, ...more);
const open = (token: string) => {
  const tokenHash = createHash('sha256').update(token).digest();
  return fixture.service.peer.call(Rpc.openFeedLink, { tokenHash }, { requestId: newId('req') });
};

/** A feed URL of a new project, and calls for it. */
async function feedLink() {
  const { workspaceId, create, call } = client();
  const { id: projectId } = await create();
  const { link, token } = await call(Rpc.createFeedLink, { projectId, name: 'reader' });
  const id = link?.id ?? '';
  return {
    workspaceId,
    projectId,
    id,
    token,
    call,
    list: async () => (await call(Rpc.listFeedLinks, { projectId })).links,
    revoke: () => call(Rpc.revokeFeedLink, { projectId, id }),
  };
}

describe('the token of a feed URL', () => {
  it('opens the feed of its project until it is revoked, and its list shows it without the token', async () => {
    const { workspaceId, projectId, id, token, list, revoke } = await feedLink();
    expect(token).toMatch(/^feed_[\w-]{43}$/);
    expect(await open(token)).toEqual({ id, workspaceId, projectId });
    const links = await list();
    expect(links).toMatchObject([{ id, projectId, name: 'reader' }]);
    expect(JSON.stringify(links)).not.toContain(token);
    await revoke();
    expect(await list()).toEqual([]);
    await expect(open(token)).rejects.toMatchObject({ code: 'not_found' });
    await expect(revoke()).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is stored as a hash only', async () => {
    const { id, token } = await feedLink();
    const [row] = await fixture.sql<{ text: string; token_hash: Buffer }>(
      'SELECT f::text AS text, token_hash FROM projects.feed_links f WHERE id = $1',
      [id],
    );
    expect(row?.text).not.toContain(token.slice(5));
    expect(row?.token_hash.equals(createHash('sha256').update(token).digest())).toBe(true);
  });

  it('is deleted with its project', async () => {
    const { projectId, token, call } = await feedLink();
    await call(Rpc.deleteProject, { id: projectId });
    await expect(open(token)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('the feed URLs of a project', () => {
  it('can be created, listed and revoked only by callers that may see the project', async () => {
    const { workspaceId, projectId, id, list } = await feedLink();
    for (const { call } of [client(newWorkspace()), client(workspaceId, { projects: [newId('prj')] })])
      for (const calls of [
        call(Rpc.createFeedLink, { projectId, name: '' }),
        call(Rpc.listFeedLinks, { projectId }),
        call(Rpc.revokeFeedLink, { projectId, id }),
      ])
        await expect(calls).rejects.toMatchObject({ code: 'not_found' });
    const other = await feedLink();
    await expect(other.call(Rpc.revokeFeedLink, { projectId: other.projectId, id })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await list()).toHaveLength(1);
  });

  it('are at most 20, also when they are created at the same time', async () => {
    const { projectId, call, list } = await feedLink();
    const created = await Promise.allSettled(
      Array.from({ length: 24 }, () => call(Rpc.createFeedLink, { projectId, name: '' })),
    );
    const refused = created.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(refused).toHaveLength(5);
    for (const error of refused) expect(error).toMatchObject({ code: 'conflict' });
    expect(await list()).toHaveLength(20);
  });
});
