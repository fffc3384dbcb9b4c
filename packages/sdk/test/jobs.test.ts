import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type PageList, Tidemark } from '@tidemark/sdk';
import { envelope, type FakeServer, failure, sendJson, startFakeServer } from './fake-server.ts';

let server: FakeServer;
afterEach(() => server.close());
const crawl = () => new Tidemark({ apiKey: 'service_secret', baseUrl: server.baseUrl }).crawl.of('run_1');

const isStream = (url: string): boolean => url.endsWith('/events');
const openStream = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { 'content-type': 'text/event-stream' });
const event = (name: string, data: unknown, id?: number): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const state = (done: number) => ({
  status: 'running',
  progress: { done, total: 3, queued: 0 },
  creditsUsed: done,
  counts: {},
});

describe('a job of the SDK', () => {
  it('waits by server-sent events and reports progress', async () => {
    server = await startFakeServer(({ url }, response) => {
      if (!isStream(url)) return sendJson(response, 200, envelope({ stop: 'finished' }));
      openStream(response).end(
        `: heartbeat\n\n${event('progress', state(1))}${event('done', { ...state(3), error: null })}`,
      );
    });
    const seen: number[] = [];
    const ended = await crawl().wait({ onProgress: ({ progress }) => seen.push(progress.done) });
    expect(ended).toMatchObject({ status: 'done', stop: 'finished' });
    expect(seen).toEqual([1]);
    expect(server.seen.map(({ url }) => url)).toEqual(['/v1/crawl/run_1/events', '/v1/crawl/run_1?limit=1']);
  });

  it('continues a broken stream after the last event that was read', async () => {
    server = await startFakeServer(({ headers }, response) => {
      openStream(response);
      if (headers['last-event-id'] === undefined) {
        response.write(event('page', { url: 'https://example.com/1' }, 1));
        return void response.write(event('page', { url: 'https://example.com/2' }, 2), () => response.destroy());
      }
      response.end(event('page', { url: 'https://example.com/3' }, 3) + event('done', state(3)));
    });
    const urls: string[] = [];
    for await (const one of crawl().events()) if (one.event === 'page') urls.push(one.data.url);
    expect(urls).toEqual([1, 2, 3].map((page) => `https://example.com/${page}`));
    expect(server.seen[1]?.headers['last-event-id']).toBe('2');
  });

  it('polls where the event stream is not available', async () => {
    let reads = 0;
    server = await startFakeServer(({ url }, response) => {
      if (isStream(url)) return void response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      reads += 1;
      sendJson(response, 200, envelope({ status: reads < 3 ? 'running' : 'done' }));
    });
    expect(await crawl().wait({ pollMs: 10 })).toMatchObject({ status: 'done' });
    expect(reads).toBe(3);
  });

  it('ends the wait with the error of the server if the key was revoked', async () => {
    server = await startFakeServer((_, response) =>
      openStream(response).end(event('closed', { code: 'unauthorized', error: 'the key was revoked' })),
    );
    await expect(crawl().wait()).rejects.toMatchObject({ code: 'unauthorized', message: 'the key was revoked' });
  });

  it('ends the wait at once if the job does not exist', async () => {
    server = await startFakeServer((_, response) => sendJson(response, 404, failure('not_found')));
    await expect(crawl().wait()).rejects.toMatchObject({ code: 'not_found', status: 404 });
    expect(server.seen).toHaveLength(1);
  });

  it('waits for further rows while the job runs, and ends with its last row', async () => {
    const responses = [
      envelope({ status: 'running', data: [{ url: 'a' }], next: 'x', cursor: '1' }),
      envelope({ status: 'running', data: [], next: 'x', cursor: '1' }),
      envelope({ status: 'done', data: [{ url: 'b' }], next: null, cursor: null }),
    ];
    server = await startFakeServer((_, response, count) => sendJson(response, 200, responses[count - 1]));
    const urls: string[] = [];
    for await (const { url } of crawl().pages({ formats: 'none' })) urls.push(url);
    expect(urls).toEqual(['a', 'b']);
    expect(server.seen.map(({ url }) => url)).toEqual([
      '/v1/crawl/run_1?limit=100&formats=none',
      '/v1/crawl/run_1?limit=100&formats=none&cursor=1',
      '/v1/crawl/run_1?limit=100&formats=none&cursor=1',
    ]);
  });

  it('reads the rows of an ended crawl from one stream of lines, and requests another after the last row where it breaks off', async () => {
    const line = (url: string, cursor: string): string => `${JSON.stringify({ url, cursor })}\n`;
    const lines = [line('b', '2') + line('c', '3').slice(0, 5), line('c', '3') + line('d', '4')];
    let streams = 0;
    server = await startFakeServer(({ headers }, response) => {
      if (headers.accept !== 'application/x-ndjson')
        return sendJson(response, 200, envelope({ data: [{ url: 'a' }], next: 'x', cursor: '1' }));
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      streams += 1;
      const text = lines[streams - 1] ?? '';
      if (streams === 1) response.write(text, () => response.destroy());
      else response.end(text);
    });
    const lists: PageList[] = [];
    for await (const list of crawl().lists({ formats: 'none', limit: 1 })) lists.push(list);
    expect(lists.map(({ data, cursor }) => [data.map(({ url }) => url), cursor])).toEqual([
      [['a'], '1'],
      [['b'], '2'],
      [['c'], '3'],
      [['d'], '4'],
    ]);
    expect(server.seen.map(({ url }) => url)).toEqual([
      '/v1/crawl/run_1?limit=1&formats=none',
      '/v1/crawl/run_1?formats=none&cursor=1',
      '/v1/crawl/run_1?formats=none&cursor=2',
    ]);
  });

  it('reads the rows of an ended crawl as lists from a server that has no stream of lines', async () => {
    const responses = [
      envelope({ data: [{ url: 'a' }], next: 'x', cursor: '1' }),
      envelope({ data: [{ url: 'b' }], next: 'x', cursor: '2' }),
      envelope({ data: [{ url: 'b' }], next: 'x', cursor: '2' }),
      envelope({ data: [{ url: 'c' }] }),
    ];
    server = await startFakeServer((_, response, count) => sendJson(response, 200, responses[count - 1]));
    const urls: string[] = [];
    for await (const { url } of crawl().pages()) urls.push(url);
    expect(urls).toEqual(['a', 'b', 'c']);
  });

  it('continues a scrape whose time ran out until its page is there', async () => {
    server = await startFakeServer(({ method, url }, response) => {
      if (method === 'POST') return sendJson(response, 202, envelope({ id: 'job_1', status: 'running' }));
      if (isStream(url)) return void openStream(response).end(event('done', state(1)));
      sendJson(response, 200, envelope({ id: 'job_1', data: [{ url: 'https://example.com/', verdict: 'ok' }] }));
    });
    const client = new Tidemark({ apiKey: 'service_secret', baseUrl: server.baseUrl });
    expect(await client.scrape('https://example.com/', { timeout: 1 })).toMatchObject({ verdict: 'ok' });
  });
});
