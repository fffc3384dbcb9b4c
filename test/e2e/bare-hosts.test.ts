import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { CrawlEnvelope, JobEnvelope, Project } from '@tidemark/api';
import { sharedFleet } from '../harness/fleet.ts';
import { makeProject, runToEnd } from '../harness/projects.ts';
import { until } from '../harness/until.ts';
import type { Workspace } from '../harness/workspaces.ts';

const ADDRESS = '127.0.0.6';
const WORDS = 'the tide came in over the marsh and the gauge at the pier read higher than it had all winter '.repeat(6);
const HTML = `<!doctype html><html lang="en"><head><title>Pier</title></head><body><main><h1>Pier</h1><p>${WORDS}</p></main></body></html>`;

const fleet = sharedFleet();
let server: Server;
let workspace: Workspace;
/** The host and port of a site without https. */
let host = '';
/** Paths of the requests to it. */
const requested: string[] = [];

beforeAll(async () => {
  workspace = await fleet.workspaces.make();
  server = createServer((request, response) => {
    const path = request.url ?? '/';
    requested.push(path);
    if (path !== '/') return void response.writeHead(404).end();
    response.setHeader('content-type', 'text/html; charset=utf-8').end(HTML);
  });
  await new Promise<void>((resolve) => server.listen(0, ADDRESS, resolve));
  host = `${ADDRESS}:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server?.close().closeAllConnections();
  await fleet.close();
});

describe('a host without a scheme that responds over http alone', () => {
  test('is the seed of a project with http, whose run reads it', async () => {
    const project = await makeProject(workspace.writer, { seed: host, config: { use_sitemap: false } });
    expect(project.seed).toBe(`http://${host}/`);
    expect(await runToEnd(workspace.writer, project.id)).toMatchObject({ status: 'done', counts: { ok: 1 } });
  });

  test('is the seed of each project of a batch with http', async () => {
    const { status, body } = await workspace.writer.post('/projects/batch', { seeds: [host, { url: `${host}/two` }] });
    expect(status).toBe(201);
    const { data } = body as { readonly data: readonly Project[] };
    expect(data.map(({ seed }) => seed)).toEqual([`http://${host}/`, `http://${host}/two`]);
  });

  test('is crawled, scraped and mapped over http', async () => {
    const { body } = await workspace.writer.post('/crawl', { url: host, useSitemap: false });
    const { id } = body as CrawlEnvelope;
    const crawl = await until('the crawl to end', async () => {
      const now = (await workspace.reader.get(`/crawl/${id}`)).body as CrawlEnvelope;
      return now.status !== 'queued' && now.status !== 'running' && now;
    });
    expect(crawl).toMatchObject({ status: 'done', data: [{ url: `http://${host}/`, verdict: 'ok' }] });
    const { page } = await workspace.writer.capture(host);
    expect(page).toMatchObject({ url: `http://${host}/`, verdict: 'ok' });
    const map = await workspace.writer.post('/map', { url: host });
    expect((map.body as JobEnvelope).status).toBe('done');
  });
});

test('a URL with a scheme keeps it, and its host gets no request when it is accepted', async () => {
  const before = requested.length;
  const project = await makeProject(workspace.writer, { seed: `https://${host}/` });
  expect([project.seed, requested.length]).toEqual([`https://${host}/`, before]);
});

test('a host without a scheme that gives no response keeps https', async () => {
  const closed = createServer();
  await new Promise<void>((resolve) => closed.listen(0, ADDRESS, resolve));
  const { port } = closed.address() as AddressInfo;
  await new Promise((resolve) => closed.close(resolve));
  const project = await makeProject(workspace.writer, { seed: `${ADDRESS}:${port}` });
  expect(project.seed).toBe(`https://${ADDRESS}:${port}/`);
});
