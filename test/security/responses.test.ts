import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ApiResponse } from '../harness/api.ts';
import { sharedFleet } from '../harness/fleet.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { startWeb } from '../web/server.ts';

const fleet = sharedFleet();
const web = await startWeb();
let workspace: Workspace;
let responses: ApiResponse[];

beforeAll(async () => {
  workspace = await fleet.workspaces.make();
  const { writer, reader, admin } = workspace;
  const captured = await writer.scrape({
    url: web.url('/app-shell'),
    formats: 'rawHtml,cleanHtml',
    config: { max_tier: 'http' },
  });
  responses = [
    captured,
    await reader.get(`/scrape/${captured.job.id}`),
    await reader.get('/me'),
    await admin.get('/me/keys'),
    await fleet.api('').get('/meta'),
    await fleet.api('').get('/openapi.json'),
    await fleet.api('').get('/me'),
    await reader.post('/scrape', {}),
    await writer.post('/scrape', '{'),
    await writer.post('/scrape', { url: '<script>alert(1)</script>' }),
    await writer.post('/scrape', { '<img src=x>': 1 }),
    await writer.get('/%3Cscript%3Ealert(1)%3C/script%3E'),
    await writer.get('/scrape/%zz'),
    await writer.request('PUT', '/scrape'),
    await writer.post('/scrape', 'x'.repeat(1_100_000)),
    await writer.post('/scrape', { url: 'http://127.0.0.1/' }),
  ];
});
afterAll(async () => {
  await web.close();
  await fleet.close();
});

describe('every response of the REST interface', () => {
  test('is JSON and forbids content sniffing', () => {
    for (const { headers } of responses) {
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  test('forbids display, framing, referrers and, except for the public document, caching', async () => {
    const document = (await fleet.api('').get('/openapi.json')).text;
    for (const { headers, text } of responses) {
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('cache-control')).toBe(text === document ? 'public, max-age=300' : 'no-store');
    }
  });

  test('does not name its software and sets no cookie', () => {
    for (const { headers } of responses) {
      expect([headers.get('x-powered-by'), headers.get('server'), headers.get('set-cookie')]).toEqual([
        null,
        null,
        null,
      ]);
    }
  });

  test('contains no stack trace, file path or library name', () => {
    for (const { text, status } of responses.filter((response) => response.status >= 400)) {
      expect({ status, text }).toEqual({
        status,
        text: expect.not.stringMatching(
          /\bat .+:\d+:\d+|node_modules|\/work\/|\.ts\b|prisma|express|zod|ECONN|postgres/i,
        ),
      });
    }
  });

  test('contains a page’s markup only as a JSON string', () => {
    const [captured] = responses;
    expect(captured?.text.startsWith('{')).toBe(true);
    expect(captured?.body).toMatchObject({ data: [{ html: expect.stringContaining('<script>') }] });
  });
});

test('the documentation is the only HTML page, and loads no code of another origin', async () => {
  const docs = await fetch(`${fleet.url}/v1/docs`);
  const policy = docs.headers.get('content-security-policy') ?? '';
  expect(docs.headers.get('x-content-type-options')).toBe('nosniff');
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/script-src[^;]*(?:\*|https?:|'unsafe-inline'|'unsafe-eval')/);
  expect(await docs.text()).not.toMatch(/(?:src|href)="(?:https?:)?\/\/(?!127\.0\.0\.1)/);
});

test('the operations ports return nothing to a browser of another origin', async () => {
  for (const address of Object.values(fleet.http)) {
    const health = await fetch(`http://${address}/healthz`);
    expect([health.status, health.headers.get('access-control-allow-origin')]).toEqual([200, null]);
    expect((await fetch(`http://${address}/nothing`)).status).toBe(404);
  }
});
