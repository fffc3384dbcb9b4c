import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import { readConsole } from './console-files.ts';
import { consolePages, mountConsole } from './mount-console.ts';

const dir = mkdtempSync(join(tmpdir(), 'tidemark-console-'));
let server: Server;
let url = '';

beforeAll(async () => {
  mkdirSync(join(dir, 'assets'));
  writeFileSync(join(dir, 'index.html'), '<!doctype html><title>Console</title>');
  writeFileSync(join(dir, 'assets/app-1a2b.js'), 'run();');
  writeFileSync(join(dir, 'assets/app-1a2b.js.gz'), gzipSync('run();'));
  const app = express();
  app.disable('etag');
  const files = readConsole(dir);
  mountConsole(app, files);
  app.use(consolePages(files));
  app.use((_request, response) => void response.status(404).json({ code: 'not_found' }));
  server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(dir, { recursive: true, force: true });
});

const get = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${url}${path}`, { headers: { accept: 'text/html', ...headers } });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

describe('the files of the console', () => {
  it('have names with a hash and are kept by browsers, compressed and under a tag of their encoding', async () => {
    const { headers, text } = await get('/assets/app-1a2b.js', { accept: '*/*', 'accept-encoding': 'gzip' });
    expect(text).toBe('run();');
    expect(headers.get('cache-control')).toContain('immutable');
    expect(headers.get('content-encoding')).toBe('gzip');
    const plain = await get('/assets/app-1a2b.js', { accept: '*/*', 'accept-encoding': 'identity' });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(plain.headers.get('etag')).not.toBe(headers.get('etag'));
    const tag = String(headers.get('etag'));
    // Without cache-control, fetch would demand a full response.
    const again = { 'accept-encoding': 'gzip', 'if-none-match': tag, 'cache-control': 'max-age=0' };
    expect((await get('/assets/app-1a2b.js', again)).status).toBe(304);
  });

  it('are shown as the index for every URL that a browser opens as a page, which it revalidates', async () => {
    for (const path of ['/', '/projects/prj_1/pages', '/nothing'])
      expect(await get(path)).toMatchObject({ status: 200, text: expect.stringContaining('Console') });
    expect((await get('/')).headers.get('cache-control')).toBe('no-cache');
  });

  it('do not replace the responses to programs, to URLs of the API and to missing files', async () => {
    expect((await get('/projects', { accept: 'application/json' })).status).toBe(404);
    for (const path of ['/v1/nothing', '/v1', '/auth/x', '/assets/missing.js', '/llms-other.txt'])
      expect([path, (await get(path)).status]).toEqual([path, 404]);
  });

  it('are sent with a policy that allows no inline script, no foreign origin and no markup from scripts', async () => {
    const policy = String((await get('/')).headers.get('content-security-policy'));
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toContain('unsafe');
  });

  it('let scripts of the payment gateway run on the page of the payment alone', async () => {
    const policyOf = async (path: string) => String((await get(path)).headers.get('content-security-policy'));
    expect(await policyOf('/billing/checkout')).toContain("script-src 'self' https://*.razorpay.com");
    for (const path of ['/', '/billing', '/billing/checkout/', '/billing/checkout/x'])
      expect([path, (await policyOf(path)).includes('razorpay')]).toEqual([path, false]);
    expect(await policyOf('/billing/checkout')).not.toContain("script-src 'self' 'unsafe-inline'");
  });

  it('are required to be complete: a folder without an index is refused with the command that builds them', () => {
    expect(() => readConsole(join(dir, 'assets'))).toThrow('vite build services/console');
  });
});
