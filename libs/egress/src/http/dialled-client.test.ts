import { createServer } from 'node:https';
import { afterEach, describe, expect, it } from '@jest/globals';
import { failureOf, fakeResolver, listen, SITE_ADDRESS, startSite } from '../../test/loopback-site.ts';
import { SITE_EXAMPLE_CERTIFICATE, SITE_EXAMPLE_KEY } from '../../test/site-certificate.ts';
import { makeDialTcp } from '../connections/dial-tcp.ts';
import { parseAllowList } from '../policy/allow-list.ts';
import { createGuard } from '../policy/guard.ts';
import { createDialledHttpClient } from './dialled-client.ts';

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const resource of opened.splice(0).reverse()) await resource.close();
});

function clientOf(allow: string, ca?: string) {
  const { resolve, queried } = fakeResolver({ 'site.example': [SITE_ADDRESS], 'inside.example': ['10.0.0.1'] });
  const guard = createGuard({ allow: parseAllowList(allow), resolve });
  const client = createDialledHttpClient(makeDialTcp(guard), ca === undefined ? {} : { ca });
  opened.push(client);
  return { client, queried };
}

describe('an HTTP client over a guarded dialler', () => {
  it('sends requests with a body to the host whose name is resolved once', async () => {
    const site = await startSite((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => response.end(Buffer.concat(chunks)));
    });
    opened.push(site);
    const { client, queried } = clientOf('site.example');
    for (const body of ['first', 'second']) {
      const response = await client.fetch(`http://site.example:${site.port}/a`, { method: 'PUT', body });
      expect([response.status, String(response.body)]).toEqual([200, body]);
    }
    expect(queried).toEqual(['site.example']);
    expect(site.requests[0]?.headers.host).toBe(`site.example:${site.port}`);
  });

  it('verifies the certificate for the host name', async () => {
    const server = createServer({ key: SITE_EXAMPLE_KEY, cert: SITE_EXAMPLE_CERTIFICATE }, (_, response) =>
      response.end('over TLS'),
    );
    opened.push(server);
    const url = `https://site.example:${await listen(server, SITE_ADDRESS)}/`;
    expect(String((await clientOf('site.example', SITE_EXAMPLE_CERTIFICATE).client.fetch(url)).body)).toBe('over TLS');
    expect(await failureOf(clientOf('site.example').client.fetch(url))).toMatchObject({ kind: 'tls' });
  });

  it.each(['http://127.0.0.1:9000/', 'http://[::1]/', 'http://169.254.169.254/', 'https://inside.example/'])(
    'opens no connection to %s',
    async (url) => {
      expect(await failureOf(clientOf('').client.fetch(url))).toMatchObject({ kind: 'egress' });
    },
  );
});
