import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { ProjectsServiceService as Rpc } from '@tidemark/contracts/projects/v1/projects';
import { callerIn, newWorkspace } from '@tidemark/testkit';
import { type ProjectsWithFakes, rpcClient, startWithFakes } from './start-with-fakes.ts';

const CHAT = 'https://site.test/hooks/secret00000000000000000000';
const HOOK = { webhook_url: 'https://site.test/hook' };

let fixture: ProjectsWithFakes;
beforeAll(async () => {
  fixture = await startWithFakes();
}, 120_000);
afterAll(() => fixture.close());

const client = (...more: [string?, Parameters<typeof rpcClient>[2]?]) => rpcClient(fixture.service, ...more);

async function listAll(call: ReturnType<typeof rpcClient>['call'], limit = 10): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const { channels, next } = await call(Rpc.listChannels, { limit, cursor });
    ids.push(...channels.map(({ projectId }) => projectId));
    if (next === undefined) return ids;
    cursor = next;
  }
}

describe('openChannels', () => {
  it('returns the unmasked channels of a project', async () => {
    const { workspaceId, create } = client();
    const { id } = await create({ ...HOOK, chat_url: CHAT, notify_emails: ['harbour@example.com'] });
    const { channels } = await fixture.service.peer.call(Rpc.openChannels, { projectId: id }, callerIn(workspaceId));
    expect(channels).toMatchObject({
      projectId: id,
      webhookUrl: HOOK.webhook_url,
      chatUrl: CHAT,
    });
  });

  it('returns not_found for another workspace, for a key of other projects and for a missing project', async () => {
    const { workspaceId, create } = client();
    const { id } = await create(HOOK);
    const others = [client(newWorkspace()), client(workspaceId, { projects: [newId('prj')] })];
    for (const { call } of others)
      await expect(call(Rpc.openChannels, { projectId: id })).rejects.toMatchObject({ code: 'not_found' });
    await expect(client().call(Rpc.openChannels, { projectId: newId('prj') })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('returns an update at once', async () => {
    const { call, create, update } = client();
    const { id } = await create(HOOK);
    await update(id, { webhook_url: 'https://site.test/other' });
    expect((await call(Rpc.openChannels, { projectId: id })).channels?.webhookUrl).toBe('https://site.test/other');
  });
});

describe('listChannels', () => {
  it('lists only projects with a webhook or a chat channel, newest first, with masked chat URLs', async () => {
    const { call, create } = client();
    const hook = await create(HOOK);
    await create({ max_pages: 5 });
    const chat = await create({ chat_url: CHAT });
    const { channels, next } = await call(Rpc.listChannels, { limit: 10 });
    expect(channels.map(({ projectId }) => projectId)).toEqual([chat.id, hook.id]);
    expect(channels[0]).toMatchObject({
      chatUrl: 'https://site.test/***',
      webhookUrl: undefined,
      chatService: 'mattermost',
    });
    expect(JSON.stringify(channels)).not.toContain('secret');
    expect(next).toBeUndefined();
  });

  it.each([1, 2, 3])('skips and repeats no project with a page size of %i', async (limit) => {
    const { call, create } = client();
    const created: string[] = [];
    for (const config of [HOOK, {}, { chat_url: CHAT }, {}, {}, HOOK, HOOK]) {
      const { id } = await create(config);
      if (Object.keys(config).length > 0) created.push(id);
    }
    expect(await listAll(call, limit)).toEqual(created.reverse());
  });

  it('lists no project of another workspace, and for a key with an allow-list only those projects', async () => {
    const { workspaceId, create } = client();
    const shown = await create(HOOK);
    await create(HOOK);
    expect(await listAll(client(newWorkspace()).call)).toEqual([]);
    expect(await listAll(client(workspaceId, { projects: [shown.id] }).call)).toEqual([shown.id]);
  });
});
