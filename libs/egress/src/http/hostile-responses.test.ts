import { afterEach, describe, expect, it } from '@jest/globals';
import { HTTP_RESPONSES, type HttpMessage } from '@tidemark/testkit/cases/http-messages';
import { rowsOf } from '@tidemark/testkit/cases/rule-cases';
import { failureOf, SITE_ADDRESS, startRawSite } from '../../test/loopback-site.ts';
import { FetchFailed } from '../errors/errors.ts';
import { parseAllowList } from '../policy/allow-list.ts';
import { createGuard } from '../policy/guard.ts';
import { createHttpClient, type HttpResponse } from './http-client.ts';

const HEALTHY = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfine\n';

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const resource of opened.splice(0).reverse()) await resource.close();
});

/** Serves the bytes once, then a healthy page on every later connection. */
async function outcomeOf(bytes: Buffer): Promise<{ first: HttpResponse | Error; second: HttpResponse }> {
  let isFirst = true;
  const site = await startRawSite((socket) => {
    const response = isFirst ? bytes : Buffer.from(HEALTHY);
    isFirst = false;
    socket.once('data', () => socket.end(response));
  });
  const client = createHttpClient(createGuard({ allow: parseAllowList(SITE_ADDRESS) }));
  opened.push(site, client);
  const first = await client.fetch(site.origin, { timeoutMs: 2_000 }).catch((error: Error) => error);
  const second = await client.fetch(site.origin, { timeoutMs: 2_000 });
  return { first, second };
}

describe('HttpClient.fetch with a malformed response', () => {
  it.each([
    ['nothing at all', ''],
    ['no status line', 'hello\r\n\r\n'],
    ['another protocol', 'SSH-2.0-OpenSSH_9.7\r\n'],
    ['a NUL in a header', 'HTTP/1.1 200 OK\r\nx: a\0b\r\n\r\n'],
    ['two different lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    ['a negative length', 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n'],
    ['a bad chunk size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
    ['an unsolicited protocol switch', 'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'],
  ])('fails for %s, and the next request uses a new connection', async (_title, text) => {
    const { first, second } = await outcomeOf(Buffer.from(text, 'latin1'));
    expect(first).toBeInstanceOf(FetchFailed);
    expect(['protocol', 'reset']).toContain(first instanceof FetchFailed ? first.kind : '');
    expect(second.body.toString()).toBe('fine\n');
  });

  it('changes no prototype for a header named __proto__', async () => {
    const { first } = await outcomeOf(Buffer.from(`HTTP/1.1 200 OK\r\n__proto__: polluted\r\n__proto__: x\r\n\r\n`));
    expect('headers' in first && Object.getPrototypeOf(first.headers) === Object.prototype).toBe(true);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  it('never returns a smuggled second response to the next request', async () => {
    const { first, second } = await outcomeOf(
      Buffer.from(`${HEALTHY}HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil`),
    );
    expect('body' in first ? first.body.toString() : 'failed').toMatch(/^(fine\n|failed)$/);
    expect(second.body.toString()).toBe('fine\n');
  });
});

const responses = (validity: HttpMessage['validity']) =>
  rowsOf(HTTP_RESPONSES)
    .filter(([, message]) => message.validity === validity)
    .map(([rule, { title, bytes }]) => [rule, title, Buffer.from(bytes, 'latin1')] as const);

describe('HttpClient.fetch with a response of any form leaves the next request as it is and', () => {
  it.each(responses('valid'))('reads a valid one: %s: %s', async (_rule, _title, bytes) => {
    const { first, second } = await outcomeOf(bytes);
    expect(first instanceof Error ? first : first.body.toString()).toMatch(/^(?:fine\n)?$/);
    expect(second.body.toString()).toBe('fine\n');
  });

  it.each(responses('invalid'))('refuses an invalid one: %s: %s', async (_rule, _title, bytes) => {
    const { first, second } = await outcomeOf(bytes);
    expect(first).toBeInstanceOf(FetchFailed);
    expect(second.body.toString()).toBe('fine\n');
  });

  it.each(responses('tolerated'))(
    'reads or refuses one on which parsers differ: %s: %s',
    async (_rule, _title, bytes) => {
      const { first, second } = await outcomeOf(bytes);
      expect(first instanceof FetchFailed || 'landedUrl' in first ? 'read or refused' : first).toBe('read or refused');
      expect(second.body.toString()).toBe('fine\n');
    },
  );
});

describe('HttpClient.fetch from a site that closes connections', () => {
  it('fails only the fetch whose body was interrupted', async () => {
    const site = await startRawSite((socket) => {
      socket.once('data', (data) => {
        if (data.toString().startsWith('GET /cut'))
          socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab', () => socket.destroy());
        else socket.end(HEALTHY);
      });
    });
    const client = createHttpClient(createGuard({ allow: parseAllowList(SITE_ADDRESS) }));
    opened.push(site, client);
    const [cut, whole] = await Promise.all([failureOf(client.fetch(`${site.origin}/cut`)), client.fetch(site.origin)]);
    expect(cut).toMatchObject({ kind: expect.stringMatching(/reset|protocol/) });
    expect(whole.body.toString()).toBe('fine\n');
  });
});
