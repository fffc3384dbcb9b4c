import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { describeCorpus } from '../../test/corpora.ts';
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

/** Returns the http code blocks of an llhttp test page, in which lines end in CRLF and \r \n \t \f \xHH are escapes. */
function rawResponses(markdown: string): Buffer[] {
  return [...markdown.matchAll(/```http\n([\s\S]*?)\n?```/g)].map(([, fence = '']) => {
    const joined = fence.replace(/\\\n/g, '').replace(/\n/g, '\r\n');
    const escapes: Record<string, string> = { r: '\r', n: '\n', t: '\t', f: '\f' };
    const text = joined.replace(/\\(?:x([0-9a-fA-F]{2})|([rntf]))/g, (_all, hex: string | undefined, name: string) =>
      hex === undefined ? (escapes[name] ?? '') : String.fromCharCode(Number.parseInt(hex, 16)),
    );
    return Buffer.from(text, 'latin1');
  });
}

describeCorpus('attack/llhttp/test/response', 'HttpClient.fetch with the llhttp response corpus', (folder) => {
  it.each(readdirSync(folder).filter((name) => name.endsWith('.md')))(
    'returns a response or FetchFailed for every message of %s, and the next request succeeds',
    async (name) => {
      const messages = rawResponses(readFileSync(join(folder, name), 'utf8'));
      expect(messages.length).toBeGreaterThan(0);
      for (const message of messages) {
        const { first, second } = await outcomeOf(message);
        expect(first instanceof FetchFailed || 'landedUrl' in first ? true : first).toBe(true);
        expect(second.body.toString()).toBe('fine\n');
      }
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
