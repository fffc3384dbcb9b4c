import { afterEach, describe, expect, it } from '@jest/globals';
import { failureOf, fakeResolver, SITE_ADDRESS, startRawSite, startSite } from '../../test/loopback-site.ts';
import { FetchFailed } from '../errors/errors.ts';
import { parseAllowList } from '../policy/allow-list.ts';
import { createGuard } from '../policy/guard.ts';
import { createHttpClient } from './http-client.ts';

const opened: { close(): unknown }[] = [];

function keep<T extends { close(): unknown }>(resource: T): T {
  opened.push(resource);
  return resource;
}

function clientFor(allow: string) {
  const guard = createGuard({ allow: parseAllowList(allow), resolve: fakeResolver({}).resolve });
  return keep(createHttpClient(guard));
}

afterEach(async () => {
  for (const resource of opened.splice(0).reverse()) await resource.close();
});

describe('a failed HttpClient.fetch', () => {
  it('has a kind and a fixed message for a closed port, a reset and an unknown name', async () => {
    const closed = await startRawSite(() => {});
    await closed.close();
    const reset = keep(await startRawSite((socket) => socket.resetAndDestroy()));
    const client = clientFor(SITE_ADDRESS);
    const refused = await failureOf(client.fetch(closed.origin));
    expect(refused).toMatchObject({ kind: 'refused', message: 'the site could not be reached' });
    expect(await failureOf(client.fetch(reset.origin))).toMatchObject({ kind: 'reset' });
    expect(await failureOf(client.fetch('http://none.example/'))).toMatchObject({ kind: 'dns' });
  });

  it('never returns part of a body that is shorter than its content-length', async () => {
    const site = keep(await startRawSite((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc')));
    expect(await failureOf(clientFor(SITE_ADDRESS).fetch(site.origin))).toBeInstanceOf(FetchFailed);
  });

  it('rejects a header with CR, LF or NUL, or a reserved name, before sending, without its value in the message', async () => {
    const site = keep(await startSite((_request, response) => response.end()));
    const client = clientFor(SITE_ADDRESS);
    const attempts: Record<string, string>[] = [
      { 'x-a': 'b\r\nx-evil: secret' },
      { 'x-a': 'secret\n' },
      { 'x-a': 'secret\0' },
      { 'x-a': 'secret\u560a' },
      { 'x a': 'secret' },
      { 'x\r\nhost': 'secret' },
      { Host: 'secret.example' },
      { 'Transfer-Encoding': 'secret' },
      { 'content-length': '3' },
    ];
    for (const headers of attempts) {
      const failure = await failureOf(client.fetch(site.origin, { headers }));
      expect(failure).toMatchObject({ kind: 'protocol', message: expect.not.stringContaining('secret') });
    }
    expect(site.requests).toEqual([]);
  });

  it('keeps %0d%0a and a raw line break of a URL inside the request line', async () => {
    const site = keep(await startSite((_request, response) => response.end()));
    const client = clientFor(SITE_ADDRESS);
    await client.fetch(`${site.origin}/a%0d%0ax-evil:%201`);
    await client.fetch(`${site.origin}/a\r\nx-evil: 1`);
    expect(site.requests.map(({ url, headers }) => [url, headers['x-evil']])).toEqual([
      ['/a%0d%0ax-evil:%201', undefined],
      ['/ax-evil:%201', undefined],
    ]);
  });
});
