import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { describeCorpus } from '../test/corpora.ts';
import { failureOf, SITE_ADDRESS, startRawSite } from '../test/loopback-site.ts';
import { parseAllowList } from './allow-list.ts';
import { FetchFailed } from './errors.ts';
import { createGuard } from './guard.ts';
import { createHttpClient, type HttpAnswer } from './http-client.ts';

const HEALTHY = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfine\n';

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const resource of opened.splice(0).reverse()) await resource.close();
});

/** Serves the bytes once, then a healthy page on every later connection. */
async function outcomeOf(bytes: Buffer): Promise<{ first: HttpAnswer | Error; second: HttpAnswer }> {
  let isFirst = true;
  const site = await startRawSite((socket) => {
    const answer = isFirst ? bytes : Buffer.from(HEALTHY);
    isFirst = false;
    socket.once('data', () => socket.end(answer));
  });
  const client = createHttpClient(createGuard({ allow: parseAllowList(SITE_ADDRESS) }));
  opened.push(site, client);
  const first = await client.fetch(site.origin, { timeoutMs: 2_000 }).catch((error: Error) => error);
  const second = await client.fetch(site.origin, { timeoutMs: 2_000 });
  return { first, second };
}

describe('a malformed answer', () => {
  it.each([
    ['nothing at all', ''],
    ['no status line', 'hello\r\n\r\n'],
    ['another protocol', 'SSH-2.0-OpenSSH_9.7\r\n'],
    ['a NUL in a header', 'HTTP/1.1 200 OK\r\nx: a\0b\r\n\r\n'],
    ['two different lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    ['a negative length', 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n'],
    ['a bad chunk size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
    ['a switch of protocols nobody asked for', 'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'],
  ])('of %s is a failure, and the next request uses a fresh connection', async (_title, text) => {
    const { first, second } = await outcomeOf(Buffer.from(text, 'latin1'));
    expect(first).toBeInstanceOf(FetchFailed);
    expect(['protocol', 'reset']).toContain(first instanceof FetchFailed ? first.kind : '');
    expect(second.body.toString()).toBe('fine\n');
  });

  it('with a header named __proto__ changes no prototype', async () => {
    const { first } = await outcomeOf(Buffer.from(`HTTP/1.1 200 OK\r\n__proto__: polluted\r\n__proto__: x\r\n\r\n`));
    expect('headers' in first && Object.getPrototypeOf(first.headers) === Object.prototype).toBe(true);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  it('with a second answer smuggled behind the first never becomes the answer of the next request', async () => {
    const { first, second } = await outcomeOf(
      Buffer.from(`${HEALTHY}HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil`),
    );
    expect('body' in first ? first.body.toString() : 'failed').toMatch(/^(fine\n|failed)$/);
    expect(second.body.toString()).toBe('fine\n');
  });
});

/** The http fences of a llhttp test page. Its notation: lines end in CRLF, and \r \n \t \f \xHH are escapes. */
function rawAnswers(markdown: string): Buffer[] {
  return [...markdown.matchAll(/```http\n([\s\S]*?)\n?```/g)].map(([, fence = '']) => {
    const joined = fence.replace(/\\\n/g, '').replace(/\n/g, '\r\n');
    const escapes: Record<string, string> = { r: '\r', n: '\n', t: '\t', f: '\f' };
    const text = joined.replace(/\\(?:x([0-9a-fA-F]{2})|([rntf]))/g, (_all, hex: string | undefined, name: string) =>
      hex === undefined ? (escapes[name] ?? '') : String.fromCharCode(Number.parseInt(hex, 16)),
    );
    return Buffer.from(text, 'latin1');
  });
}

describeCorpus('attack/llhttp/test/response', 'the llhttp response corpus', (folder) => {
  it.each(readdirSync(folder).filter((name) => name.endsWith('.md')))(
    'every message of %s is an answer or a FetchFailed, and the next request works',
    async (name) => {
      const messages = rawAnswers(readFileSync(join(folder, name), 'utf8'));
      expect(messages.length).toBeGreaterThan(0);
      for (const message of messages) {
        const { first, second } = await outcomeOf(message);
        expect(first instanceof FetchFailed || 'landedUrl' in first ? true : first).toBe(true);
        expect(second.body.toString()).toBe('fine\n');
      }
    },
  );
});

describe('a site that goes away', () => {
  it('while its body is under way fails that fetch and no other', async () => {
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
