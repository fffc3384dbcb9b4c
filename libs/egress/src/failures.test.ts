import { afterEach, describe, expect, it } from '@jest/globals';
import { failureOf, fakeResolver, SITE_ADDRESS, startRawSite, startSite } from '../test/loopback-site.ts';
import { parseAllowList } from './allow-list.ts';
import { FetchFailed } from './errors.ts';
import { createGuard } from './guard.ts';
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

describe('failures', () => {
  it('of a closed port, a reset and a missing name each have their kind and a fixed sentence', async () => {
    const closed = await startRawSite(() => {});
    await closed.close();
    const reset = keep(await startRawSite((socket) => socket.resetAndDestroy()));
    const client = clientFor(SITE_ADDRESS);
    const refused = await failureOf(client.fetch(closed.origin));
    expect(refused).toMatchObject({ kind: 'refused', message: 'the site could not be reached' });
    expect(await failureOf(client.fetch(reset.origin))).toMatchObject({ kind: 'reset' });
    expect(await failureOf(client.fetch('http://none.example/'))).toMatchObject({ kind: 'dns' });
  });

  it('of a body shorter than its content-length is a failure, never half a page', async () => {
    const site = keep(await startRawSite((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc')));
    expect(await failureOf(clientFor(SITE_ADDRESS).fetch(site.origin))).toBeInstanceOf(FetchFailed);
  });

  it('of a header with CR, LF or NUL, or a reserved one, come before anything is sent and never show the value', async () => {
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
    expect(site.seen).toEqual([]);
  });

  it('%0d%0a and a raw line break in an address stay inside the request line', async () => {
    const site = keep(await startSite((_request, response) => response.end()));
    const client = clientFor(SITE_ADDRESS);
    await client.fetch(`${site.origin}/a%0d%0ax-evil:%201`);
    await client.fetch(`${site.origin}/a\r\nx-evil: 1`);
    expect(site.seen.map(({ url, headers }) => [url, headers['x-evil']])).toEqual([
      ['/a%0d%0ax-evil:%201', undefined],
      ['/ax-evil:%201', undefined],
    ]);
  });
});
