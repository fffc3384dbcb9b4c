import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { ProjectsServiceService as Rpc } from '@tidemark/contracts/projects/v1/projects';
import { callerIn, newWorkspace } from '@tidemark/testkit';
import { askIn, type FakeGround, openOnFakes } from './fake-ground.ts';

const CHAT = 'https://site.test/services/T1/B2/secret';
const HOOK = { webhook_url: 'https://site.test/hook' };

let ground: FakeGround;
beforeAll(async () => {
  ground = await openOnFakes();
}, 120_000);
afterAll(() => ground.close());

const client = (...more: [string?, Parameters<typeof askIn>[2]?]) => askIn(ground.service, ...more);

async function listed(ask: ReturnType<typeof askIn>['ask'], limit = 10): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = ''; ; ) {
    const { channels, next } = await ask(Rpc.listChannels, { limit, cursor });
    ids.push(...channels.map(({ projectId }) => projectId));
    if (next === '') return ids;
    cursor = next;
  }
}

describe('the channels of a project', () => {
  it('are opened whole for who tells them, in any process of ours', async () => {
    const { workspaceId, create } = client();
    const { id } = await create({ ...HOOK, chat_url: CHAT, notify_emails: ['harbour@example.com'] });
    const caller = { workspaceId, keyId: '', scope: 'admin', projects: [] } as const;
    const { channels } = await ground.service.peer.call(
      Rpc.openChannels,
      { projectId: id },
      { ...callerIn(workspaceId), caller },
    );
    expect(channels).toMatchObject({ ...{ projectId: id, webhookUrl: HOOK.webhook_url, chatUrl: CHAT } });
  });

  it('are not found for another workspace, for a key of other projects, and where there is no project', async () => {
    const { workspaceId, create } = client();
    const { id } = await create(HOOK);
    const others = [client(newWorkspace()), client(workspaceId, { projects: [newId('prj')] })];
    for (const { ask } of others)
      await expect(ask(Rpc.openChannels, { projectId: id })).rejects.toMatchObject({ code: 'not_found' });
    await expect(client().ask(Rpc.openChannels, { projectId: newId('prj') })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('are as they were mended a moment ago', async () => {
    const { ask, create, update } = client();
    const { id } = await create(HOOK);
    await update(id, { webhook_url: 'https://site.test/mended' });
    expect((await ask(Rpc.openChannels, { projectId: id })).channels?.webhookUrl).toBe('https://site.test/mended');
  });
});

describe('the list of channels', () => {
  it('holds projects with a webhook or a chat channel alone, newest first, chat addresses masked', async () => {
    const { ask, create } = client();
    const hook = await create(HOOK);
    await create({ max_pages: 5 });
    const chat = await create({ chat_url: CHAT });
    const { channels, next } = await ask(Rpc.listChannels, { limit: 10, cursor: '' });
    expect(channels.map(({ projectId }) => projectId)).toEqual([chat.id, hook.id]);
    expect(channels[0]).toMatchObject({ chatUrl: 'https://site.test/***', webhookUrl: '' });
    expect(JSON.stringify(channels)).not.toContain('secret');
    expect(channels[0]?.chatService).toBe('');
    await create({ chat_url: `https://site.test/hooks/${'a'.repeat(26)}` });
    const [mattermost] = (await ask(Rpc.listChannels, { limit: 1, cursor: '' })).channels;
    expect(mattermost).toMatchObject({ chatUrl: 'https://site.test/***', chatService: 'mattermost' });
    expect(next).toBe('');
  });

  it.each([1, 2, 3])('read %i at a time skips none and repeats none', async (limit) => {
    const { ask, create } = client();
    const made: string[] = [];
    for (const config of [HOOK, {}, { chat_url: CHAT }, {}, {}, HOOK, HOOK]) {
      const { id } = await create(config);
      if (Object.keys(config).length > 0) made.push(id);
    }
    expect(await listed(ask, limit)).toEqual(made.reverse());
  });

  it('holds nothing of another workspace, and for a key of some projects only those', async () => {
    const { workspaceId, create } = client();
    const shown = await create(HOOK);
    await create(HOOK);
    expect(await listed(client(newWorkspace()).ask)).toEqual([]);
    expect(await listed(client(workspaceId, { projects: [shown.id] }).ask)).toEqual([shown.id]);
  });
});
