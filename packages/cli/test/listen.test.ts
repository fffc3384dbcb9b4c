import { createServer, type Server, type ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Tidemark } from '@tidemark/sdk';
import { type Forwarded, listen } from '../src/webhooks/listen.ts';

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(respond: (url: string, response: ServerResponse, body: string) => void): Promise<string> {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    respond(request.url ?? '', response, body);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  return `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}`;
}

const send = (response: ServerResponse, status: number, body: unknown): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

const run = (id: string) => ({
  id,
  url: 'https://a.example/',
  status: 'done',
  trigger: 'api',
  stop: 'finished',
  changes: { status: 'made' },

  progress: { done: 1, total: 1, queued: 0 },
  createdAt: '2026-01-01T00:00:00Z',
  finishedAt: null,
});
const RECORD = { status: 'made', runId: 'run_2', counts: null, coverage: null, baseline: null, digest: null };
const CHANGE = {
  id: 'chg_1',
  url: 'https://a.example/x',
  kind: 'modified',
  wordsAdded: 1,
  wordsRemoved: 1,
  section: '',

  volatile: false,
  fields: [],
  blocks: [],
  reviewed: false,
};

describe('the local receiver of webhooks', () => {
  it('waits while the API is not available, and sends a message that was interrupted again under the same id', async () => {
    let polls = 0;
    let recordReads = 0;
    const api = await serve((url, response) => {
      if (url.includes('/runs')) {
        polls += 1;
        if (polls === 2) return send(response, 503, { error: 'not available', code: 'unavailable', request_id: 'r' });
        const data = [...(polls === 1 ? [] : [run('run_2')]), run('run_1')];
        return send(response, 200, { data, next: null, cursor: null });
      }
      // The entries of the record are interrupted once, after the first message was sent.
      recordReads += 1;
      if (recordReads === 2) return send(response, 502, { error: 'gone', code: 'unavailable', request_id: 'r' });
      send(response, 200, { ...RECORD, entries: [CHANGE], next: null, cursor: null });
    });
    const received: string[] = [];
    const receiver = await serve((_, response, body) => {
      received.push(body);
      response.end();
    });
    const stop = new AbortController();
    const retried: string[] = [];
    const options = {
      project: new Tidemark({ apiKey: 'service_a', baseUrl: `${api}/v1`, maxRetries: 0 }).projects.of('prj_1'),

      forward: `${receiver}/hook`,
      secret: SECRET,
      events: new Set<string>(),
      signal: stop.signal,
      pollMs: 5,
      onRetry: ({ code }: { code: string }) => void retried.push(code),
    };
    const sent: Forwarded[] = [];
    for await (const one of listen(options)) {
      sent.push(one);
      if (one.event === 'page.changed') stop.abort();
    }
    expect(retried).toEqual(['unavailable', 'unavailable']);
    expect(sent.map(({ event, runId, status }) => [event, runId, status])).toEqual([
      ['run.finished', 'run_2', 200],
      ['run.finished', 'run_2', 200],
      ['page.changed', 'run_2', 200],
    ]);
    const [first, again, changed] = received.map((body) => JSON.parse(body));
    expect(again.id).toBe(first.id);
    expect(changed.id).not.toBe(first.id);
  });

  it('ends with an error that a later request can not avoid', async () => {
    const api = await serve((_, response) =>
      send(response, 401, { error: 'the key is unknown', code: 'unauthorized', request_id: 'r' }),
    );
    const options = {
      project: new Tidemark({ apiKey: 'service_a', baseUrl: `${api}/v1` }).projects.of('prj_1'),

      forward: api,
      secret: SECRET,
      events: new Set<string>(),
      signal: new AbortController().signal,
    };
    const read = async () => {
      for await (const one of listen(options)) void one;
    };
    await expect(read()).rejects.toMatchObject({ code: 'unauthorized' });
  });
});
