import { createServer, type TlsOptions } from 'node:tls';
import { afterEach, describe, expect, it } from '@jest/globals';
import { failureOf, fakeResolver, listen, SITE_ADDRESS, startRawSite } from '../../test/loopback-site.ts';
import {
  EXPIRED_CERTIFICATE,
  SITE_EXAMPLE_CERTIFICATE,
  SITE_EXAMPLE_KEY,
  STRANGER_CERTIFICATE,
} from '../../test/site-certificate.ts';
import { tlsFailureMessage } from '../errors/tls-failure-messages.ts';
import { createHttpClient } from '../http/http-client.ts';
import { parseAllowList } from '../policy/allow-list.ts';
import { createGuard } from '../policy/guard.ts';

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const resource of opened.splice(0).reverse()) await resource.close();
});

async function portOf(options: TlsOptions): Promise<number> {
  const server = createServer({ key: SITE_EXAMPLE_KEY, ...options }, (socket) => socket.on('error', () => {}));
  server.on('tlsClientError', () => {});
  opened.push(server);
  return listen(server, SITE_ADDRESS);
}

async function failureAt(port: number, host = 'site.example', ca?: string): Promise<unknown> {
  const guard = createGuard({ allow: parseAllowList(host), resolve: fakeResolver({ [host]: [SITE_ADDRESS] }).resolve });
  const client = createHttpClient(guard, ca === undefined ? {} : { ca });
  opened.push(client);
  return failureOf(client.fetch(`https://${host}:${port}/`, { timeoutMs: 5_000 }));
}

const tls = (words: RegExp) => ({ kind: 'tls', message: expect.stringMatching(words) });

describe('the message of a TLS failure', () => {
  it('names a self-signed or expired certificate, another host and an unknown authority', async () => {
    const own = await portOf({ cert: SITE_EXAMPLE_CERTIFICATE });
    expect(await failureAt(own)).toMatchObject(tls(/self-signed/));
    expect(await failureAt(own, 'b.example', SITE_EXAMPLE_CERTIFICATE)).toMatchObject(tls(/another host name/));
    const expired = await portOf({ cert: EXPIRED_CERTIFICATE });
    expect(await failureAt(expired, 'site.example', EXPIRED_CERTIFICATE)).toMatchObject(tls(/expired/));
    const stranger = await portOf({ cert: STRANGER_CERTIFICATE });
    expect(await failureAt(stranger)).toMatchObject(tls(/known authority/));
  });

  it('names an old TLS version, a refused handshake and a site without TLS', async () => {
    const old = await portOf({
      cert: SITE_EXAMPLE_CERTIFICATE,
      minVersion: 'TLSv1.1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    });
    expect(await failureAt(old)).toMatchObject(tls(/too old/));
    const picky = await portOf({
      cert: SITE_EXAMPLE_CERTIFICATE,
      ciphers: 'PSK-AES128-GCM-SHA256',
      maxVersion: 'TLSv1.2',
    });
    expect(await failureAt(picky)).toMatchObject(tls(/refused the TLS handshake/));
    const plain = await startRawSite((socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad\r\n\r\n')));
    opened.push(plain);
    expect(await failureAt(plain.port)).toMatchObject(tls(/does not respond in TLS/));
  });

  it.each([
    ['CERT_NOT_YET_VALID', /not valid yet/],
    ['SELF_SIGNED_CERT_IN_CHAIN', /self-signed/],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /chain is incomplete/],
    ['ERR_SSL_UNSUPPORTED_PROTOCOL', /too old/],
    ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', /refused/],
    ['ERR_SSL_DH_KEY_TOO_SMALL', /too weak/],
  ])('explains the code %s', (code, words) => {
    expect(tlsFailureMessage(code)).toMatch(words);
  });

  it('is undefined for an unknown code', () => {
    expect(tlsFailureMessage('ERR_TLS_SOMETHING')).toBeUndefined();
  });
});
