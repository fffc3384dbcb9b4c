import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type AnyRoute, routes } from '@tidemark/api';
import { bodyOf, queries } from '../contract/unused-ids.ts';
import type { Api } from '../harness/api.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { pathOf } from '../harness/paths.ts';
import { makeProject } from '../harness/projects.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { startWeb } from '../web/server.ts';

const CHAT_SECRET = 'chatsecret'.padEnd(26, '7');
const MODEL_KEY = 'sk-isolation-never-shown';

const fleet = sharedFleet();
const web = await startWeb();
let workspace: Workspace;
let project: string;
let connection: string;
let secret: string;

const webhookOf = async (api: Api, id = project) =>
  (await api.get(`/projects/${id}/webhooks`)).body as { secret: string | null; secretHidden: boolean };

beforeAll(async () => {
  workspace = await fleet.workspaces.make();
  const config = { webhook_url: web.url('/tiny'), chat_url: web.url(`/hooks/${CHAT_SECRET}`) };
  ({ id: project } = await makeProject(workspace.writer, { seed: web.url('/article'), config }));
  const model = { config: { model: 'tide-1', base_url: 'https://models.example.com/v1' } };
  const order = { provider: 'openai', name: 'Ours', ...model, secrets: { api_key: MODEL_KEY } };
  connection = ((await workspace.admin.post('/connections', order)).body as { id: string }).id;
  await workspace.writer.post(`/projects/${project}/webhooks/test`, {});
  const rotated = await workspace.admin.post(`/projects/${project}/webhooks/secret`, {});
  secret = (rotated.body as { secret: string }).secret;
});
afterAll(async () => {
  await web.close();
  await fleet.close();
});

/** Returns the text of every response of a request without side effects. */
async function allResponses(api: Api): Promise<ReadonlyMap<string, string>> {
  const reading = Object.values(routes).filter((route: AnyRoute) => route.method === 'get' && route.scope !== 'public');
  const idOf = (path: string): string => (path.startsWith('/connections') ? connection : project);
  const responses = new Map<string, string>();
  for (const { path } of reading) {
    const { text } = await api.get(`${pathOf({ path }, idOf(path))}${queries[path] ?? ''}`);
    responses.set(path, text);
  }
  return responses;
}

describe('the secret of a webhook', () => {
  test('is returned to a key of scope admin only', async () => {
    expect(secret).toMatch(/^whsec_/);
    expect(await webhookOf(workspace.admin)).toMatchObject({ secret, secretHidden: false });
    for (const api of [workspace.reader, workspace.writer])
      expect(await webhookOf(api)).toMatchObject({ secret: null, secretHidden: true });
  });

  test('is created only by requests of keys that may read it', async () => {
    const config = { webhook_url: web.url('/tiny') };
    const { id } = await makeProject(workspace.writer, { seed: web.url('/article'), config });
    expect(await webhookOf(workspace.reader, id)).toMatchObject({ secret: null, secretHidden: true });
    const first = await webhookOf(workspace.admin, id);
    expect(first.secret).toMatch(/^whsec_/);
    expect(await webhookOf(workspace.admin, id)).toMatchObject({ secret: first.secret });
  });

  test('is in no other response, as are chat URLs and connection keys', async () => {
    for (const [path, text] of await allResponses(workspace.admin)) {
      const hidden = [CHAT_SECRET, MODEL_KEY, ...(path === '/projects/{id}/webhooks' ? [] : ['whsec_'])];
      for (const word of hidden) expect({ path, holds: text.includes(word) }).toEqual({ path, holds: false });
    }
  });

  test('is in no response to a key of scope write, as are chat URLs and connection keys', async () => {
    for (const [path, text] of await allResponses(workspace.writer))
      for (const word of ['whsec_', CHAT_SECRET, MODEL_KEY])
        expect({ path, holds: text.includes(word) }).toEqual({ path, holds: false });
  });

  test('is in no response to an update', async () => {
    const change = { notify_min_words: 2 };
    const responses = [
      await workspace.writer.patch(`/projects/${project}`, { config: change }),
      await workspace.admin.patch(`/connections/${connection}`, bodyOf({ method: 'patch', path: '/connections/{id}' })),
      await workspace.admin.post(`/connections/${connection}/test`, {}),
      await workspace.writer.post(`/projects/${project}/webhooks/test`, {}),
    ];
    for (const { text } of responses)
      for (const word of ['whsec_', CHAT_SECRET, MODEL_KEY]) expect(text).not.toContain(word);
  });

  test('is stored encrypted', async () => {
    const rows = await fleet.sql<{ row: string }>(
      'SELECT r::text AS row FROM delivery.receivers r WHERE project_id = $1',
      [project],
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const { row } of rows) expect(row).not.toContain('whsec_');
  });
});
