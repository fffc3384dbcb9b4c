import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Channel, Delivery } from '@tidemark/api';
import { sharedFleet } from '../harness/fleet.ts';
import { makeProject } from '../harness/projects.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { startWeb } from '../web/server.ts';

const fleet = sharedFleet();
const web = await startWeb();
let workspace: Workspace;
let project: string;
let other: string;

beforeAll(async () => {
  workspace = await fleet.workspaces.make();
  const seed = { seed: web.url('/tiny') };
  const both = { webhook_url: web.url('/tiny'), chat_url: web.url(`/hooks/${'a'.repeat(26)}`) };
  ({ id: project } = await makeProject(workspace.writer, { ...seed, config: both }));
  ({ id: other } = await makeProject(workspace.writer, { ...seed, config: { webhook_url: web.url('/article') } }));
  await makeProject(workspace.writer, seed);
});
afterAll(async () => {
  await web.close();
  await fleet.close();
});

/** Returns all items of a list, one per page. */
async function walk<T>(path: string): Promise<T[]> {
  const found: T[] = [];
  for (let at: string | null = path; at !== null; ) {
    const { status, body, text } = await workspace.reader.get(at);
    if (status !== 200) throw new Error(`expected a list, got ${status} ${text}`);
    const { data, next } = body as { data: T[]; next: string | null };
    found.push(...data);
    at = next === null ? null : next.slice(next.indexOf('/v1') + '/v1'.length);
  }
  return found;
}

test('lists every channel once over pages of one, newest project first, with masked chat URLs', async () => {
  const channels = await walk<Channel>('/webhooks?limit=1');
  expect(channels).toMatchObject([
    { projectId: other, kind: 'webhook', service: null },
    { projectId: project, kind: 'webhook', url: web.url('/tiny') },
    { projectId: project, kind: 'chat', url: expect.stringMatching(/\/\*\*\*$/) },
  ]);
});

test('lists every delivery that matches the filter once over pages of one, newest first', async () => {
  const sent: string[] = [];
  for (const id of [project, other, project]) {
    const { status, body, text } = await workspace.writer.post(`/projects/${id}/webhooks/test`, {});
    if (status !== 200) throw new Error(`expected a delivery, got ${status} ${text}`);
    const delivery = body as Delivery;
    // A page without POST is a receiver that rejects messages.
    expect(delivery).toMatchObject({ projectId: id, event: 'run.finished', kind: 'webhook', test: true });
    sent.unshift(delivery.id);
  }
  const idsOf = (deliveries: readonly Delivery[]) => deliveries.map(({ id }) => id);
  expect(idsOf(await walk<Delivery>('/webhooks/deliveries?limit=1'))).toEqual(sent);
  const ofOther = await walk<Delivery>(`/webhooks/deliveries?projectId=${other}&limit=1`);
  expect(idsOf(ofOther)).toEqual([sent[1]]);
  const [status] = ofOther.map((delivery) => delivery.status);
  expect(idsOf(await walk<Delivery>(`/webhooks/deliveries?projectId=${other}&status=${status}`))).toEqual([sent[1]]);
  expect(await walk('/webhooks/deliveries?status=pending&runId=run_01j5xq2w8se6fa7t0a6q1n3k2m')).toEqual([]);
});
