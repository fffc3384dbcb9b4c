import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type EventName, isEventName, messageSchema } from '@tidemark/webhook-events';
import { Webhook } from 'standardwebhooks';
import { recordOf } from '../harness/changes.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { makeProject, runToEnd } from '../harness/projects.ts';
import { until } from '../harness/until.ts';
import { type Received, startReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { type HarbourSite, startHarbour } from './harbour-site.ts';

const fleet = sharedFleet();
let site: HarbourSite;
let receiver: WebhookReceiver;
let workspace: Workspace;

beforeAll(async () => {
  workspace = await fleet.workspaces.make();
  site = await startHarbour('127.0.0.5');
  receiver = await startReceiver('127.0.0.6');
});
afterAll(async () => {
  site.close();
  receiver.close();
  await fleet.close();
});

interface ReceivedMessage {
  readonly event: EventName;
  readonly message: { readonly id: string; readonly data: Readonly<Record<string, unknown>> } & Readonly<
    Record<string, unknown>
  >;
  readonly received: Received;
}

/** Parses a message with its schema. @throws Error if it has other keys */
function readMessage(received: Received): ReceivedMessage {
  const event = String(received.headers['x-service-event']);
  if (!isEventName(event)) throw new Error(`there is no event ${event}`);
  const body: unknown = JSON.parse(received.raw);
  const message = messageSchema(event).parse(body);
  expect(message).toEqual(body);
  expect(received.headers).toMatchObject({ 'x-service-delivery': message.id, 'webhook-id': message.id });
  return { event, message, received };
}

/** Waits until the messages of a path satisfy the condition and returns them. */
const messagesAt = (
  path: string,
  holds: (messages: readonly ReceivedMessage[]) => boolean,
): Promise<ReceivedMessage[]> =>
  until(`messages at ${path}`, () => {
    const messages = receiver.received.filter((one) => one.path === path).map(readMessage);
    if (!holds(messages)) throw new Error(`so far ${messages.map(({ event }) => event).join(', ')}`);
    return messages;
  });

const has =
  (...events: EventName[]) =>
  (messages: readonly ReceivedMessage[]): boolean =>
    events.every((event) => messages.some((one) => one.event === event));

/** Verifies a message by the documented signature and by the library of Standard Webhooks. */
function expectSigned(messages: readonly ReceivedMessage[], secret: string): void {
  for (const { received } of messages) {
    const hex = createHmac('sha256', secret).update(received.raw).digest('hex');
    expect(received.headers['x-service-signature']).toBe(`sha256=${hex}`);
    expect(received.headers['user-agent']).toBe('Tidemark-Webhook/1.0');
    const headers = {
      'webhook-id': String(received.headers['webhook-id']),
      'webhook-timestamp': String(received.headers['webhook-timestamp']),
      'webhook-signature': String(received.headers['webhook-signature']),
    };
    expect(new Webhook(secret).verify(received.raw, headers)).toEqual(JSON.parse(received.raw));
  }
}

describe('the webhook of a crawl', () => {
  test('sends its start, every page once, and its end last, signed, with its metadata echoed', async () => {
    const metadata = { order: 7 };
    const { status, body, text } = await workspace.writer.post('/crawl', {
      url: `${site.origin}/`,
      limit: 10,
      webhook: { url: `${receiver.origin}/crawl`, metadata },
    });
    if (status !== 202) throw new Error(`expected 202, got ${status} ${text}`);
    const { id, webhookSecret } = body as { id: string; webhookSecret: string };
    const messages = await messagesAt('/crawl', has('crawl.completed'));
    const events = messages.map(({ event }) => event);
    expect([events[0], events.at(-1)]).toEqual(['crawl.started', 'crawl.completed']);
    expectSigned(messages, webhookSecret);
    for (const { message } of messages) expect(message).toMatchObject({ job: { id, kind: 'crawl' }, metadata });
    const pages = messages.flatMap(({ message }) => (message.data['pages'] ?? []) as { number: number; url: string }[]);
    const crawl = (await workspace.reader.get(`/crawl/${id}?limit=100&formats=none`)).body as {
      data: { url: string }[];
    };
    expect(pages.map(({ number }) => number)).toEqual(crawl.data.map((_, at) => at + 1));
    expect(pages.map(({ url }) => url).sort()).toEqual(crawl.data.map(({ url }) => url).sort());
    const { results } = messages.find(({ event }) => event === 'crawl.page')?.message.data ?? {};
    expect(String(results)).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1\/crawl\//);
    const { pathname, search } = new URL(String(results));
    const listed = await workspace.reader.get(`${pathname.replace('/v1', '')}${search}`);
    expect(listed.body).toMatchObject({ data: crawl.data });
    expect(messages.at(-1)?.message.data).toMatchObject({ next: null, results: expect.stringContaining('/v1/crawl/') });
  });
});

describe('the webhook of a batch', () => {
  test('sends one message when it has finished, signed with the secret that was returned once', async () => {
    const { body } = await workspace.writer.post('/scrape', {
      urls: ['/prices', '/marees', '/gone'].map((path) => `${site.origin}${path}`),
      webhook: { url: `${receiver.origin}/batch`, events: ['scrape.completed'], metadata: { order: 7 } },
    });
    const { id, webhookSecret } = body as { id: string; webhookSecret: string };
    const messages = await messagesAt('/batch', has('batch.finished', 'scrape.completed'));
    expect(messages).toHaveLength(2);
    expectSigned(messages, webhookSecret);
    expect(messages[0]?.message).toMatchObject({
      job: { id, kind: 'batch' },
      metadata: { order: 7 },
      data: { status: 'done', progress: { done: 3, total: 3 }, counts: { ok: 2, blocked: 1 }, next: null },
    });
  });
});

describe('the webhook of a project', () => {
  test('sends a message for each run with its record, and for the page that changed', async () => {
    const project = await makeProject(workspace.writer, {
      seed: `${site.origin}/`,
      config: { webhook_url: `${receiver.origin}/project`, webhook_metadata: { team: 'pier' } },
    });
    const first = await runToEnd(workspace.writer, project.id);
    await recordOf(workspace.reader, project.id, first.id);
    site.fee += 2;
    const second = await runToEnd(workspace.writer, project.id);
    const record = await recordOf(workspace.reader, project.id, second.id);
    const ofSecond = (messages: readonly ReceivedMessage[]) =>
      messages.filter(({ message }) => (message['run'] as { id: string } | undefined)?.id === second.id);
    const all = await messagesAt('/project', (some) => has('run.finished', 'page.changed')(ofSecond(some)));
    const messages = ofSecond(all);
    // The record alone has the estimate of the site's size.
    const { estimate: _, estimateReason: __, ...coverage } = record.coverage ?? {};
    expect(messages[0]).toMatchObject({
      event: 'run.finished',
      message: {
        project: { id: project.id, host: new URL(site.origin).host },
        metadata: { team: 'pier' },
        data: {
          status: 'done',
          counts: record.counts,
          coverage,
          baseline: first.id,
          digest: null,
          changes: expect.stringMatching(
            `^http://127.0.0.1:\\d+/v1/projects/${project.id}/changes\\?run_id=${second.id}$`,
          ),
        },
      },
    });
    const changes = messages.filter(({ event }) => event === 'page.changed');
    expect(changes.map(({ message }) => message.data)).toMatchObject([
      { url: `${site.origin}/prices`, kind: 'modified', section: 'Prices', wordsAdded: 1, wordsRemoved: 1 },
    ]);
    expect(all.filter(({ event }) => event === 'run.finished')).toHaveLength(2);
    const hook = await workspace.admin.get(`/projects/${project.id}/webhooks`);
    expectSigned(all, (hook.body as { secret: string }).secret);
  }, 120_000);

  test('sends a message for a discovery snapshot, and for URLs that its sitemap adds and removes', async () => {
    const declared = ['/', '/old'];
    const sitemap = await startSitemap(declared);
    try {
      const project = await makeProject(workspace.writer, {
        seed: `${sitemap.origin}/`,
        config: {
          webhook_url: `${receiver.origin}/discovery`,
          webhook_events: ['map.completed', 'sitemap.added', 'sitemap.removed'],
        },
      });
      const discover = async () => {
        const { body } = await workspace.writer.post(`/projects/${project.id}/discovery`, {});
        return (body as { id: string }).id;
      };
      const first = await discover();
      const [made] = await messagesAt('/discovery', has('map.completed'));
      expect(made?.message).toMatchObject({
        project: { id: project.id },
        data: { id: first, status: 'done', method: 'sitemap', totals: { files: 1, urls: 2 } },
      });
      expect(made?.message.data['next']).toBeNull();
      const { pathname } = new URL(String(made?.message.data['results']));
      const map = await workspace.reader.get(pathname.replace('/v1', ''));
      expect(map.body).toMatchObject({ id: first, status: 'done' });

      declared.splice(1, 1, '/new');
      const snapshotId = await discover();
      const messages = await messagesAt('/discovery', has('sitemap.added', 'sitemap.removed'));
      const dataOf = (event: EventName) => messages.find((one) => one.event === event)?.message.data;
      expect(dataOf('sitemap.added')).toEqual({ urls: [`${sitemap.origin}/new`], count: 1, snapshotId });
      expect(dataOf('sitemap.removed')).toEqual({ urls: [`${sitemap.origin}/old`], count: 1, snapshotId });
    } finally {
      sitemap.close();
    }
  });
});

/** A site that consists of its sitemap. */
async function startSitemap(paths: readonly string[]): Promise<{ readonly origin: string; close(): void }> {
  const server = createServer((request, response) => {
    if (request.url !== '/sitemap.xml') return void response.writeHead(404).end();
    const urls = paths.map((path) => `<url><loc>${site.origin}${path}</loc></url>`).join('');
    response.end(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls}</urlset>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.4', resolve));
  const bound = server.address();
  const site = {
    origin: `http://127.0.0.4:${typeof bound === 'object' ? bound?.port : ''}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return site;
}
