import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { checkingGuardFromConfig, createGuard, parseAllowList } from '@tidemark/egress';
import { SITE_ADDRESS, startWebSite, type WebSite } from '@tidemark/testkit';
import { RESPONSE_SECONDS } from '@tidemark/webhook-events';
import { makePost } from '../src/http/post-message.ts';

/** Time limit of the requests that get no complete response, ms. */
const LIMIT_MS = 1_000;
const closing: (() => Promise<unknown>)[] = [];
const guard = createGuard({ allow: parseAllowList(`${SITE_ADDRESS}/32`) });
const post = makePost(guard);
const postTo = (url: string) =>
  post({ url, body: '{}', headers: { 'content-type': 'application/json' }, queueKey: url });

let site: WebSite;
let landed = 0;
let sentBytes = 0;

const RESPONSES: Readonly<Record<string, (response: import('node:http').ServerResponse) => void>> = {
  '/moved': (response) => response.writeHead(302, { location: '/landed' }).end('moved'),
  '/landed': (response) => {
    landed += 1;
    response.end();
  },
  '/endless': (response) => {
    response.writeHead(200, { 'content-length': 100 * 1024 * 1024 });
    const piece = Buffer.alloc(64 * 1024, 'a');
    const more = () => {
      do sentBytes += piece.length;
      while (!response.destroyed && sentBytes < 100 * 1024 * 1024 && response.write(piece));
    };
    response.on('drain', more);
    more();
  },
  '/drip': (response) => {
    response.writeHead(200);
    response.write('a');
    const timer = setInterval(() => response.write('a'), LIMIT_MS / 10);
    response.on('close', () => clearInterval(timer));
  },
  '/late': (response) => {
    const timer = setTimeout(() => response.writeHead(200).end(), 60_000);
    response.on('close', () => clearTimeout(timer));
  },
  '/bomb': (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(Buffer.alloc(200, 0x1f)),
};

beforeAll(async () => {
  site = await startWebSite((request, response) => {
    request.resume();
    (RESPONSES[request.url ?? ''] ?? ((other) => other.writeHead(404).end()))(response);
  });
  closing.push(() => site.close());
});

afterAll(() => Promise.all(closing.map((close) => close())));

/** A server that writes the headers of a response byte by byte, without an end. */
async function dripHead(): Promise<string> {
  const server = createTcpServer((socket) => {
    const head = [...'HTTP/1.1 200 OK\r\nx-long: '];
    const timer = setInterval(() => socket.write(head.shift() ?? 'a'), LIMIT_MS / 10);
    socket.on('error', () => undefined);
    socket.on('close', () => clearInterval(timer));
  });
  await new Promise<void>((resolve) => server.listen(0, SITE_ADDRESS, resolve));
  closing.push(() => new Promise((resolve) => server.close(resolve)));
  const bound = server.address();
  return `http://${SITE_ADDRESS}:${typeof bound === 'object' ? bound?.port : ''}/`;
}

async function startSelfSigned(): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'tm-tls-'));
  const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-days', '1', '-nodes', '-newkey', 'rsa:2048'];
  execFileSync('openssl', ['req', '-x509', ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  const server: Server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_, response) =>
    response.end(),
  );
  rmSync(dir, { recursive: true });
  await new Promise<void>((resolve) => server.listen(0, SITE_ADDRESS, resolve));
  closing.push(() => new Promise((resolve) => server.close(resolve)));
  const bound = server.address();
  return `https://${SITE_ADDRESS}:${typeof bound === 'object' ? bound?.port : ''}/`;
}

describe('a message that is posted', () => {
  it.each([
    'http://127.0.0.1:8787/v1',
    'http://169.254.169.254/latest/meta-data/',
    'http://[::1]/',
    'http://10.0.0.1/hook?token=geheim',
    'http://localhost/',
    'file:///etc/passwd',
    'no address at all',
  ])('is not sent to an internal address: %s', async (url) => {
    const { status, error, answer } = await postTo(url);
    expect({ status, answer }).toEqual({ status: 0, answer: '' });
    expect(error).toMatch(/^(not sent there: |not an http or https address$)/);
    expect(error).not.toContain('geheim');
  });

  it('is not sent to a port of the fleet itself, although the operator allowed the address', async () => {
    const { port } = new URL(site.origin);
    const strict = checkingGuardFromConfig({ TIDEMARK_EGRESS_ALLOW: `${SITE_ADDRESS}/32`, TIDEMARK_OWN_PORTS: port });
    const url = `${site.origin}/landed`;
    const result = await makePost(strict)({ url, body: '{}', headers: {}, queueKey: url });
    expect(result).toMatchObject({ status: 0, error: expect.stringContaining('not sent there: ') });
    expect(landed).toBe(0);
  });

  it('follows no redirect and reports it as such', async () => {
    const result = await postTo(`${site.origin}/moved`);
    expect(result).toEqual({ status: 302, error: expect.stringContaining('redirect'), answer: 'moved' });
    expect(landed).toBe(0);
  });

  it('reads four kilobytes of a response of a hundred megabytes, and closes it', async () => {
    const result = await postTo(`${site.origin}/endless`);
    expect(result).toMatchObject({ status: 200, error: '', answer: 'a'.repeat(500) });
    // Only what was in the buffers of the machine.
    expect(sentBytes).toBeLessThan(16 * 1024 * 1024);
  });

  it('unpacks nothing', async () => {
    expect((await postTo(`${site.origin}/bomb`)).status).toBe(200);
  });

  it('is not sent to a server with an untrusted certificate', async () => {
    const result = await postTo(await startSelfSigned());
    expect(result).toMatchObject({ status: 0, error: expect.stringContaining('certificate') });
  });

  it('waits for the whole request, whether the response is late, its headers are slow or its body is', async () => {
    expect(RESPONSE_SECONDS).toBe(10);
    const postWithin = makePost(guard, { timeoutMs: LIMIT_MS });
    const postTo = (url: string) => postWithin({ url, body: '{}', headers: {}, queueKey: url });
    const beganAt = performance.now();
    const [late, head, body] = await Promise.all([
      postTo(`${site.origin}/late`),
      dripHead().then(postTo),
      postTo(`${site.origin}/drip`),
    ]);
    expect(performance.now() - beganAt).toBeGreaterThanOrEqual(LIMIT_MS - 5);
    expect(late).toEqual({ status: 0, error: 'the site did not respond in time', answer: '' });
    expect(head).toEqual(late);
    // Its status had arrived; only its body never ended.
    expect(body).toMatchObject({ status: 200, error: '' });
  });

  it('is sent again at once where a kept connection was closed meanwhile', async () => {
    const path = `${site.origin}/moved`;
    await postTo(path);
    const before = site.seen.length;
    for (const request of site.seen) request.socket.destroy();
    expect((await postTo(path)).status).toBe(302);
    expect(site.seen.length).toBe(before + 1);
  });
});
