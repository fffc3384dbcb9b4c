import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startProxy, startSocks, type TestExit } from '../../test/exits.ts';
import { type LoopbackSite, listen, SITE_ADDRESS, startSite } from '../../test/loopback-site.ts';
import { SITE_EXAMPLE_CERTIFICATE, SITE_EXAMPLE_KEY } from '../../test/site-certificate.ts';

const PROGRAM = join(import.meta.dirname, '../../test/proxied-clients.ts');
const CREDENTIALS = { username: 'tide', password: 's3cret' };
const folder = mkdtempSync(join(tmpdir(), 'proxied-'));
const authority = join(folder, 'corporate-ca.pem');
const secure = createTlsServer({ key: SITE_EXAMPLE_KEY, cert: SITE_EXAMPLE_CERTIFICATE }, (_, response) =>
  response.end('over TLS'),
);
let site: LoopbackSite;
let proxy: TestExit;
let httpUrl = '';
let httpsUrl = '';

beforeAll(async () => {
  writeFileSync(authority, SITE_EXAMPLE_CERTIFICATE);
  site = await startSite((_, response) => response.end('over HTTP'));
  proxy = await startProxy(CREDENTIALS);
  httpUrl = `http://site.example:${site.port}/`;
  httpsUrl = `https://site.example:${await listen(secure, SITE_ADDRESS)}/`;
});
afterAll(async () => {
  secure.close();
  secure.closeAllConnections();
  await Promise.all([site.close(), proxy.close()]);
  rmSync(folder, { recursive: true });
});

const OVER_HTTP = { http: 'over HTTP', gotHttp: 'over HTTP', tcp: 'HTTP/1.1 200 OK' };
const OVER_TLS = { https: 'over TLS', gotHttps: 'over TLS' };
const targets = (host: string) => [httpUrl, httpsUrl].map((url) => `${host}:${new URL(url).port}`);

/** Runs the clients in a process of their own, as NODE_EXTRA_CA_CERTS is read at its start. @returns what they read, and the targets of the proxy */
async function run(env: Readonly<Record<string, string>>, through = proxy) {
  const before = through.requested.length;
  const args = ['--conditions=tidemark-source', '--disable-warning=ExperimentalWarning', PROGRAM, httpUrl, httpsUrl];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, {
    env: { ...env, ALLOW: `site.example` },
    timeout: 60_000,
  });
  const read: Record<string, string> = JSON.parse(stdout);
  return { read, stderr, targets: [...new Set(through.requested.slice(before))].sort() };
}

describe('clients of a network with an outbound proxy and a certificate authority of its own', () => {
  const proxyUrl = (password = CREDENTIALS.password) => `http://tide:${password}@${SITE_ADDRESS}:${proxy.port}`;

  it('reach every target through the proxy, by the address that the guard admitted, and trust the authority', async () => {
    const { read, targets: requested } = await run({ HTTPS_PROXY: proxyUrl(), NODE_EXTRA_CA_CERTS: authority });
    expect(read).toMatchObject({ ...OVER_HTTP, ...OVER_TLS });
    expect(requested).toEqual(targets(SITE_ADDRESS).sort());
  });

  it('send the proxy no request for a target that the guard refuses', async () => {
    const { read, targets: requested } = await run({ HTTPS_PROXY: proxyUrl() });
    expect(read['inner']).toBe('egress: the address is not on the public web and is not fetched');
    expect(requested.filter((target) => target.startsWith('10.'))).toEqual([]);
  });

  it('refuse a certificate of the authority where it is not configured', async () => {
    const { read } = await run({ HTTPS_PROXY: proxyUrl() });
    expect([read['https'], read['gotHttps']]).toEqual([
      expect.stringMatching(/^tls: /),
      expect.stringMatching(/^tls: /),
    ]);
  });

  it('reach targets of NO_PROXY directly', async () => {
    const { read, targets: requested } = await run({
      HTTPS_PROXY: proxyUrl(),
      NO_PROXY: '.site.example',
      NODE_EXTRA_CA_CERTS: authority,
    });
    expect(read).toMatchObject({ ...OVER_HTTP, ...OVER_TLS });
    expect(requested).toEqual([]);
  });

  it('send the host name to a proxy that filters by names', async () => {
    const { targets: requested } = await run({ HTTPS_PROXY: proxyUrl(), TIDEMARK_PROXY_TARGET: 'name' });
    expect(requested).toEqual(targets('site.example').sort());
  });

  it('reach every target through a SOCKS5 proxy', async () => {
    const socks = await startSocks();
    try {
      const env = { HTTPS_PROXY: `socks5://${SITE_ADDRESS}:${socks.port}`, NODE_EXTRA_CA_CERTS: authority };
      const { read, targets: requested } = await run(env, socks);
      expect(read).toMatchObject({ ...OVER_HTTP, ...OVER_TLS });
      expect(requested).toEqual(targets(SITE_ADDRESS).sort());
    } finally {
      await socks.close();
    }
  });

  it.each([
    ['that refuses the credentials', () => proxyUrl('wrong'), 'the outbound proxy refused the credentials (http 407)'],
    ['that is down', () => `http://${SITE_ADDRESS}:1`, 'the outbound proxy could not be reached (ECONNREFUSED)'],
  ])('state a proxy %s as the cause, without credentials', async (_, url, message) => {
    const { read, stderr } = await run({ HTTPS_PROXY: url() });
    for (const client of ['http', 'https', 'gotHttp', 'gotHttps', 'tcp'])
      expect([client, read[client]]).toEqual([client, `refused: ${message}`]);
    expect(JSON.stringify(read) + stderr).not.toMatch(/s3cret|wrong/);
  });
});
