import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type SocksScript, startProxy, startSocks } from '../../test/exits.ts';
import { failureOf, listen, SITE_ADDRESS, startRawSite, startSite } from '../../test/loopback-site.ts';
import { EXIT_CERTIFICATE, SITE_EXAMPLE_KEY } from '../../test/site-certificate.ts';
import { dialThroughExit } from './open-tunnel.ts';

const opened: { close(): unknown }[] = [];
const TIME = { timeoutMs: 2_000 };

function keep<T extends { close(): unknown }>(resource: T): T {
  opened.push(resource);
  return resource;
}

afterEach(async () => {
  for (const resource of opened.splice(0).reverse()) await resource.close();
});

const site = async () => keep(await startSite((_request, response) => response.end('through')));

/** An HTTP proxy that sends this response, byte for byte. */
const scripted = async (response: string | undefined) =>
  keep(
    await startRawSite((socket) =>
      socket.once('data', () => (response === undefined ? undefined : socket.end(response))),
    ),
  );

async function pageThrough(exitUrl: string, port: number, ca?: string): Promise<string> {
  const options = ca === undefined ? TIME : { ...TIME, ca };
  const socket = await dialThroughExit(exitUrl, { address: SITE_ADDRESS, port }, options);
  socket.write('GET / HTTP/1.0\r\n\r\n');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk)).resume();
  await once(socket, 'close');
  return Buffer.concat(chunks).toString();
}

describe('dialThroughExit', () => {
  it('sends percent-decoded credentials to an http:// exit and reaches the target', async () => {
    const target = await site();
    const { port } = keep(await startProxy({ username: 'user', password: 'p@ss:w/' }));
    const exit = `http://user:p%40ss%3Aw%2F@${SITE_ADDRESS}:${port}`;
    expect(await pageThrough(exit, target.port)).toMatch(/through$/);
  });

  it('checks the certificate of an https:// exit', async () => {
    const target = await site();
    const server = createTlsServer({ key: SITE_EXAMPLE_KEY, cert: EXIT_CERTIFICATE }, (socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\n\r\ntunnelled'));
    });
    const port = await listen(server, SITE_ADDRESS);
    keep({ close: () => server.close() });
    const exit = `https://${SITE_ADDRESS}:${port}`;
    expect(await pageThrough(exit, target.port, EXIT_CERTIFICATE)).toBe('tunnelled');
    expect(await failureOf(pageThrough(exit, target.port))).toMatchObject({ kind: 'exit' });
  });

  it('requests the address from a socks5:// exit, with credentials and without', async () => {
    const target = await site();
    const open = keep(await startSocks());
    const locked = keep(await startSocks({ reply: 0, credentials: { username: 'üser', password: 'a b' } }));
    expect(await pageThrough(`socks5://${SITE_ADDRESS}:${open.port}`, target.port)).toMatch(/through$/);
    const exit = `socks5://%C3%BCser:a%20b@${SITE_ADDRESS}:${locked.port}`;
    expect(await pageThrough(exit, target.port)).toMatch(/through$/);
    expect([open.requested, locked.requested]).toEqual([
      [`${SITE_ADDRESS}:${target.port}`],
      [`${SITE_ADDRESS}:${target.port}`],
    ]);
  });

  it('sends addresses only, IPv6 ones in brackets, and refuses names', async () => {
    let head = '';
    const exit = keep(
      await startRawSite((socket) => {
        socket.once('data', (data) => {
          head = data.toString();
          socket.end('HTTP/1.1 200 OK\r\n\r\n');
        });
      }),
    );
    await dialThroughExit(exit.origin, { address: '2606:4700::1111', port: 443 }, TIME);
    expect(head).toBe('CONNECT [2606:4700::1111]:443 HTTP/1.1\r\nHost: [2606:4700::1111]:443\r\n\r\n');
    const named = dialThroughExit(exit.origin, { address: 'site.example', port: 443 }, TIME);
    expect(await failureOf(named)).toMatchObject({ kind: 'egress' });
  });
});

describe('a failure of dialThroughExit', () => {
  it.each([
    ['407', 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n', 'exit'],
    ['500', 'HTTP/1.1 500 Oops\r\n\r\n', 'exit'],
    ['402', 'HTTP/1.1 402 Pay\r\n\r\n', 'exit'],
    ['another protocol', 'SSH-2.0-OpenSSH_9.7\r\n\r\n', 'exit'],
    ['a head cut short', 'HTTP/1.1 200 OK\r\nx', 'exit'],
    ['an endless head', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(20_000)}`, 'exit'],
    ['502', 'HTTP/1.1 502 Bad Gateway\r\n\r\n', 'refused'],
    ['503', 'HTTP/1.1 503 Service Unavailable\r\n\r\n', 'refused'],
    ['504', 'HTTP/1.1 504 Gateway Timeout\r\n\r\n', 'timeout'],
    ['nothing', '', 'reset'],
  ])('maps the response “%s” of an HTTP exit to a failure kind', async (_title, response, kind) => {
    const exit = await scripted(response);
    const dialling = dialThroughExit(exit.origin, { address: SITE_ADDRESS, port: 9 }, TIME);
    expect(await failureOf(dialling)).toMatchObject({ name: 'FetchFailed', kind });
  });

  it.each<[string, SocksScript, string]>([
    ['general failure', { reply: 1 }, 'exit'],
    ['not allowed', { reply: 2 }, 'refused'],
    ['network unreachable', { reply: 3 }, 'refused'],
    ['host unreachable', { reply: 4 }, 'refused'],
    ['connection refused', { reply: 5 }, 'refused'],
    ['TTL expired', { reply: 6 }, 'timeout'],
    ['command not supported', { reply: 7 }, 'exit'],
    [
      'closed instead of a reply',
      { closeAfterHandshake: true, credentials: { username: 'someone', password: 'secret' } },
      'reset',
    ],
    ['wrong credentials', { credentials: { username: 'u', password: 'p' }, reply: 0 }, 'exit'],
  ])('maps the SOCKS reply “%s” to a failure kind', async (_title, script, kind) => {
    const exit = keep(await startSocks(script));
    const url = `socks5://someone:secret@${SITE_ADDRESS}:${exit.port}`;
    const failure = await failureOf(dialThroughExit(url, { address: SITE_ADDRESS, port: 9 }, TIME));
    expect([failure, String(failure)]).toEqual([
      expect.objectContaining({ name: 'FetchFailed', kind }),
      expect.not.stringContaining('secret'),
    ]);
  });

  it('is of kind exit if the exit is unreachable, and a timeout of the target if the exit never replies', async () => {
    const closed = await startRawSite(() => {});
    await closed.close();
    const target = { address: SITE_ADDRESS, port: 9 };
    expect(await failureOf(dialThroughExit(closed.origin, target, TIME))).toMatchObject({ kind: 'exit' });
    const silent = await scripted(undefined);
    const late = dialThroughExit(silent.origin, target, { timeoutMs: 100 });
    expect(await failureOf(late)).toMatchObject({ kind: 'timeout' });
  });

  it('contains no credentials in its message, stack or cause', async () => {
    const closed = await startRawSite(() => {});
    await closed.close();
    for (const url of [
      `http://user:secret@${SITE_ADDRESS}:${closed.port}`,
      `socks5://user:secret@${SITE_ADDRESS}:${closed.port}`,
      'http://user:secret%@a.example',
      'ftp://user:secret@a.example',
      'user:secret',
    ]) {
      const failure = await failureOf(dialThroughExit(url, { address: SITE_ADDRESS, port: 9 }, TIME));
      expect(failure).toMatchObject({ kind: 'exit' });
      expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure)) + String(failure)).not.toContain('secret');
    }
  });

  it('is the reason of the caller’s signal, immediately after the abort', async () => {
    const silent = await scripted(undefined);
    const stop = new AbortController();
    const dialling = dialThroughExit(
      silent.origin,
      { address: SITE_ADDRESS, port: 9 },
      { ...TIME, signal: stop.signal },
    );
    stop.abort(new RangeError('cancelled by the caller'));
    expect(await failureOf(dialling)).toMatchObject({ message: 'cancelled by the caller' });
  });
});
