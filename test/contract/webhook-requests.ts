import { makeProject } from '../harness/projects.ts';
import type { Good, RouteId, TestServers } from './requests.ts';

/** Returns a project that sends webhooks to a receiver. */
async function aProject({ workspace, web }: TestServers): Promise<string> {
  const config = { max_pages: 1, use_sitemap: false, webhook_url: web.url('/tiny'), webhook_events: ['run.finished'] };
  return (await makeProject(workspace.writer, { seed: web.url('/article'), config })).id;
}

/** A message that was sent. */
async function aDelivery(servers: TestServers): Promise<{ readonly project: string; readonly delivery: string }> {
  const project = await aProject(servers);
  const { status, body, text } = await servers.workspace.writer.post(`/projects/${project}/webhooks/test`, {});
  if (status !== 200) throw new Error(`expected a delivery, got ${status} ${text}`);
  return { project, delivery: (body as { id: string }).id };
}

/** Valid requests of the routes of webhooks and notifications, one for each success status. */
export const goodOfWebhooks = {
  listWebhooks: {
    200: async (servers) => {
      await aProject(servers);
      return { path: '/webhooks?limit=5' };
    },
  },
  getWebhook: { 200: async (servers) => ({ path: `/projects/${(await aDelivery(servers)).project}/webhooks` }) },
  testWebhook: { 200: async (servers) => ({ path: `/projects/${await aProject(servers)}/webhooks/test` }) },
  rotateSecret: { 200: async (servers) => ({ path: `/projects/${await aProject(servers)}/webhooks/secret` }) },
  listDeliveries: {
    200: async (servers) => ({ path: `/webhooks/deliveries?projectId=${(await aDelivery(servers)).project}&limit=1` }),
  },
  redeliver: {
    200: async (servers) => ({ path: `/webhooks/deliveries/${(await aDelivery(servers)).delivery}/redeliver` }),
  },
  listNotices: { 200: () => ({ path: '/me/notifications' }) },
} as const satisfies Partial<Record<RouteId, Good>>;
