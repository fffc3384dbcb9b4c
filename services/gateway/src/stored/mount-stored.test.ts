import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { routes } from '@tidemark/api';
import { AppError } from '@tidemark/errors';
import express, { type ErrorRequestHandler } from 'express';
import type { Endpoint, MountOptions } from '../http/mount.ts';
import { mountStored } from './mount-stored.ts';

const HOSTILE =
  '</script><script>steal()</script><!--<script><meta http-equiv=refresh content="0;url=//evil.example/">\u2028';
const requests: unknown[] = [];
const BLOCKS = [{ op: 'edited', before: 'one', after: 'two', words: [], volatile: false }];
let compared: object | AppError = {};
const comparison: Endpoint = {
  route: routes.comparePage,
  respond: () => Promise.reject(new Error('not used')),
  respondToParts: async (parts) => {
    requests.push(parts);
    if (compared instanceof AppError) throw compared;
    return { status: 200, body: { blocks: BLOCKS, ...compared } };
  },
};
const content: Endpoint = {
  route: routes.getPageContent,
  respond: () => Promise.reject(new Error('not used')),
  respondToParts: async (parts) => {
    requests.push(parts);
    return { status: 200, body: { html: HOSTILE } };
  },
};
let server: Server;
let url = '';

beforeAll(async () => {
  const app = express();
  const options: Partial<MountOptions> = {};
  mountStored(app, [content, comparison], options as MountOptions);
  const onError: ErrorRequestHandler = (error, _request, response, _next) =>
    void response.status(403).json({ code: error.code });
  app.use(onError);
  server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/stored/prj_1?url=https%3A%2F%2Fa.example%2F`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe('a stored page', () => {
  it('is sent only with a policy that sandboxes it, loads nothing, and runs the script of the picker alone', async () => {
    const response = await fetch(url);
    const text = await response.text();
    const policy = String(response.headers.get('content-security-policy'));
    expect(policy).toMatch(/^sandbox allow-scripts; default-src 'none'; script-src 'sha256-[^']+'; /);
    for (const forbidden of ['allow-same-origin', 'allow-forms', 'allow-popups', 'allow-top', 'connect-src', "'self' "])
      expect(policy).not.toContain(forbidden);
    expect(policy).toContain("form-action 'none'; base-uri 'none'; frame-ancestors 'self'");
    const scripts = [...text.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, script = '']) => script);
    expect(scripts).toHaveLength(1);
    const hash = createHash('sha256')
      .update(scripts[0] ?? '')
      .digest('base64');
    expect(policy).toContain(`'sha256-${hash}'`);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('is data inside the document, and none of its text becomes markup of it', async () => {
    const text = await (await fetch(url)).text();
    expect(text).not.toContain('<meta http-equiv');
    expect(text).not.toContain('steal()</script>');
    const [, json = ''] = /id="stored">([\s\S]*?)<\/script>/.exec(text) ?? [];
    expect(json).not.toContain('<');
    expect(JSON.parse(json)).toBe(HOSTILE);
  });

  it('is read with the access of the page itself', async () => {
    requests.length = 0;
    await fetch(`${url}&run_id=run_2&format=links`);
    expect(requests).toMatchObject([
      { params: { id: 'prj_1' }, query: { url: 'https://a.example/', run_id: 'run_2', format: 'rawHtml' } },
    ]);
  });

  it('is refused to a browser that opens it as a page, or frames it on another site', async () => {
    const statusFor = async (headers: Record<string, string>) => (await fetch(url, { headers })).status;
    expect(await statusFor({ 'sec-fetch-dest': 'document', 'sec-fetch-site': 'none' })).toBe(403);
    expect(await statusFor({ 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await statusFor({ 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'same-origin' })).toBe(200);
  });
});

describe('a compared page', () => {
  const urlOf = (more = '') => url.replace('?', `/comparison?`) + more;
  /** Returns the data that is embedded in the document. */
  const dataOf = (text: string): unknown => JSON.parse(/id="compared">([\s\S]*?)<\/script>/.exec(text)?.[1] ?? '');

  it('is sent as data, with a policy under which nothing is loaded, not even pictures', async () => {
    compared = { before: { runId: 'run_1' }, after: { runId: 'run_2' } };
    requests.length = 0;
    const response = await fetch(urlOf('&from=run_1&run_id=run_2&theme=dark'));
    const policy = String(response.headers.get('content-security-policy'));
    expect(policy).toMatch(/^sandbox allow-scripts; default-src 'none'; script-src 'sha256-[^']+'; /);
    expect(policy).toContain("img-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'");
    const text = await response.text();
    expect(text).not.toContain('steal()</script>');
    expect(dataOf(text)).toEqual({ html: HOSTILE, markdown: null, blocks: BLOCKS, whole: null, problem: null });
    expect(requests).toMatchObject([
      { query: { url: 'https://a.example/', from: 'run_1', run_id: 'run_2', unchanged: 'true' } },
      { query: { url: 'https://a.example/', run_id: 'run_2', format: 'rawHtml,markdown' } },
    ]);
  });

  it('is the earlier reading of a removed page', async () => {
    compared = { before: { runId: 'run_1' }, after: null };
    requests.length = 0;
    expect(dataOf(await (await fetch(urlOf())).text())).toMatchObject({ whole: 'removed' });
    expect(requests).toMatchObject([{}, { query: { run_id: 'run_1' } }]);
  });

  it('states why there is nothing to compare, and is refused like the routes that it reads', async () => {
    compared = new AppError('not_found', 'no run before it could read this page');
    expect(dataOf(await (await fetch(urlOf())).text())).toMatchObject({
      html: null,
      problem: 'no run before it could read this page',
    });
    compared = new AppError('forbidden', 'no access');
    expect((await fetch(urlOf())).status).toBe(403);
    const headers = { 'sec-fetch-dest': 'document', 'sec-fetch-site': 'none' };
    for (const path of [urlOf(), url.replace('?', '/reading?')])
      expect((await fetch(path, { headers })).status).toBe(403);
  });
});
