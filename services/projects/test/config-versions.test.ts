import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ProjectsServiceService as Rpc } from '@tidemark/contracts/projects/v1/projects';
import { fromConfigMessage } from '@tidemark/project-config';
import { callerIn, newWorkspace } from '@tidemark/testkit';
import { configOf, type ProjectsWithCrawl, projectClient, startWithCrawl } from './start-with-crawl.ts';

let fixture: ProjectsWithCrawl;
beforeAll(async () => {
  fixture = await startWithCrawl();
}, 120_000);
afterAll(() => fixture.close());

function versionClient() {
  const client = projectClient(fixture.service);
  const { peer } = fixture.service;
  const caller = callerIn(client.workspaceId);
  return {
    ...client,
    list: async (projectId: string, before: number | undefined = undefined, limit = 100, as = caller) => {
      const { versions, isMore } = await peer.call(Rpc.listConfigVersions, { projectId, before, limit }, as);
      return {
        versions: versions.map(({ config, ...version }) => ({ ...version, config: fromConfigMessage(config) })),
        isMore,
      };
    },
    restore: (projectId: string, version: number, as = caller) =>
      peer.call(Rpc.restoreConfigVersion, { projectId, version }, as),
    keyId: caller.caller.keyId,
  };
}

describe('the versions of a config', () => {
  it('are listed newest first with their author, time and changed keys, without secrets, also by cursor', async () => {
    const { create, update, list, keyId } = versionClient();
    const { id, createdAt } = await create({ max_pages: 5, headers: { authorization: 'Bearer canary' } });
    await update(id, {}, { max_pages: 6, max_depth: 2 });
    await update(id, { nameChange: { $case: 'name', value: 'only the name' } }, {});
    await update(id, {}, { max_depth: null });
    const { versions, isMore } = await list(id);
    expect(isMore).toBe(false);
    expect(versions).toMatchObject([
      {
        version: 3,
        keys: ['max_depth'],
        config: { max_pages: 6, headers: { authorization: '***' } },
        changedBy: keyId,
      },
      { version: 2, keys: ['max_depth', 'max_pages'], config: { max_pages: 6, max_depth: 2 }, changedBy: keyId },
      { version: 1, keys: ['headers', 'max_pages'], config: { max_pages: 5 }, changedBy: keyId, changedAt: createdAt },
    ]);
    expect(await list(id, undefined, 2)).toMatchObject({ versions: [{ version: 3 }, { version: 2 }], isMore: true });
    expect(await list(id, 2, 2)).toMatchObject({ versions: [{ version: 1 }], isMore: false });
    const rows = await fixture.sql<{ row: string }>(
      'SELECT v::text AS row FROM projects.config_versions v WHERE project_id = $1',
      [id],
    );
    expect(rows).toHaveLength(3);
    expect(JSON.stringify(rows)).not.toContain('canary');
  });

  it('are restored as a new version, which keeps a stored secret and names one that is not stored any more', async () => {
    const { create, update, list, restore, get } = versionClient();
    const kept = {
      headers: { authorization: 'Bearer canary' },
      chat_url: 'https://hooks.example/hooks/secret00000000000000000000',
    };
    const { id } = await create({ max_pages: 5, ...kept });
    await update(
      id,
      {},
      { max_pages: 9, max_depth: 3, chat_url: 'https://other.example/hooks/secret00000000000000000000' },
    );
    const { project, notRestored } = await restore(id, 1);
    const config = { max_pages: 5, headers: { authorization: '***' }, chat_url: 'https://other.example/***' };
    expect(notRestored).toEqual(['chat_url']);
    expect(project).toMatchObject({ id, configVersion: 3 });
    expect(configOf(await get(id))).toEqual(config);
    expect((await list(id)).versions[0]).toMatchObject({ restoredFrom: 1, keys: ['max_depth', 'max_pages'], config });
    await restore(id, 3);
    expect((await get(id)).configVersion).toBe(3);
    await update(id, {}, { headers: null });
    expect((await restore(id, 3)).notRestored).toEqual(['headers']);
    await expect(restore(id, 99)).rejects.toMatchObject({ code: 'not_found', message: expect.stringContaining('50') });
  });

  it('are not visible to another workspace, and only the newest 50 are kept', async () => {
    const { create, update, list, restore } = versionClient();
    const { id } = await create({ max_pages: 1 });
    const stranger = callerIn(newWorkspace());
    await expect(list(id, 0, 1, stranger)).rejects.toMatchObject({ code: 'not_found' });
    await expect(restore(id, 1, stranger)).rejects.toMatchObject({ code: 'not_found' });
    for (let pages = 2; pages <= 52; pages += 1) await update(id, {}, { max_pages: pages });
    const { versions } = await list(id);
    expect(versions).toHaveLength(50);
    expect(versions.at(-1)?.version).toBe(3);
  });
});
