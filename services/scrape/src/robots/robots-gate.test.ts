import { describe, expect, it } from '@jest/globals';
import { countCpuMs } from '@tidemark/testkit';
import fc from 'fast-check';
import { type RobotsFile, RobotsGate, readRobots } from './robots-gate.ts';

const AGENT = 'Tidemark';
const PAGE = 'https://example.com/private/page';
const read = (body: string, status = 200) => readRobots('https://example.com/robots.txt', { status, body }, AGENT);
const allows = (body: string, url = PAGE): boolean => read(body).rules(url).allowed;

describe('readRobots', () => {
  it.each([200, 204])('applies the rules of a file with status %d', (status) => {
    expect(read('User-agent: *\nDisallow: /', status).rules(PAGE).allowed).toBe(false);
  });

  it.each([301, 400, 401, 403, 404, 410])('allows everything for status %d (RFC 9309 2.3.1.3)', (status) => {
    const answer = read('User-agent: *\nDisallow: /', status).rules(PAGE);
    expect(answer).toEqual({ allowed: true, reason: `robots.txt answers ${status}` });
  });

  it.each([429, 500, 502, 503])('allows nothing for status %d and is cached briefly (2.3.1.4)', (status) => {
    const { rules, cacheMs } = read('', status);
    expect(rules(PAGE)).toMatchObject({ allowed: false, reason: expect.stringContaining(`${status}`) });
    expect(cacheMs).toBeLessThan(read('').cacheMs);
  });

  it('reports the line that disallows a page', () => {
    const { reason } = read('# hello\nUser-agent: *\nDisallow: /private').rules(PAGE);
    expect(reason).toBe('robots.txt disallows it for Tidemark in line 3');
  });

  it('applies the group of our agent, and the group for all agents if there is none', () => {
    const both = 'User-agent: *\nDisallow: /\n\nUser-agent: tidemark\nAllow: /';
    expect(allows(both)).toBe(true);
    expect(allows('User-agent: *\nAllow: /\n\nUser-agent: Tidemark\nDisallow: /')).toBe(false);
    expect(allows('User-agent: Tidemark the crawler # ours\nDisallow: /')).toBe(false);
    expect(allows('User-agent: TidemarkOther\nDisallow: /')).toBe(true);
  });

  it('applies the longest matching rule, and allows if two are equally long (2.2.2)', () => {
    expect(allows('User-agent: *\nDisallow: /\nAllow: /private/')).toBe(true);
    expect(allows('User-agent: *\nAllow: /private\nDisallow: /private/page')).toBe(false);
    expect(allows('User-agent: *\nDisallow: /private\nAllow: /private')).toBe(true);
  });

  it.each([
    ['Dissallow: /private', 'a misspelling'],
    ['Disallow /private', 'a missing colon'],
    ['Disallow:/private', 'no space'],
    ['disallow : /private', 'a space before the colon'],
  ])("interprets lines as Google's parser does: %s is %s", (rule) => {
    expect(allows(`User-agent: *\n${rule}`)).toBe(false);
  });

  it('applies an allow of an index page to its folder', () => {
    const folder = 'User-agent: *\nDisallow: /\nAllow: /open/index.html';
    expect(allows(folder, 'https://example.com/open/')).toBe(true);
    expect(allows(folder, 'https://example.com/open/other')).toBe(false);
  });

  it('accepts a byte order mark at the start; elsewhere it invalidates its line', () => {
    expect(allows('\ufeffUser-agent: *\nDisallow: /')).toBe(false);
    expect(allows('User-agent: *\n\ufeffDisallow: /')).toBe(true);
  });

  it('returns the crawl delay and the sitemaps', () => {
    const text =
      'User-agent: *\nCrawl-delay: 2.5\nSitemap: /a.xml\nSite-map: https://cdn.example/b.xml\nSitemap: ftp://x/';
    expect(read(text)).toMatchObject({
      crawlDelaySeconds: 2.5,
      sitemaps: ['https://example.com/a.xml', 'https://cdn.example/b.xml'],
    });
    expect(read('User-agent: *\nCrawl-delay: 1e99').crawlDelaySeconds).toBe(86_400);
    for (const delay of ['-5', 'soon', 'NaN', ''])
      expect(read(`User-agent: *\nCrawl-delay: ${delay}`).crawlDelaySeconds ?? 0).toBe(0);
    expect(read('', 503)).toMatchObject({ crawlDelaySeconds: undefined, sitemaps: [] });
  });

  it('finds no rules in an HTML page, unless it contains some', () => {
    expect(
      allows('<!doctype html><html><head><title>Home</title></head><body><a href="https://x/">x</a></body></html>'),
    ).toBe(true);
    expect(allows('<html><pre>\nUser-agent: *\nDisallow: /private\n</pre>')).toBe(false);
  });

  it('returns rules for any text', () => {
    const line = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('User-agent: *', 'Disallow: /*$', 'Allow: %', ':'),
    );
    fc.assert(
      fc.property(fc.array(line), fc.webUrl(), (lines, url) => {
        expect(typeof allows(lines.join('\n'), url)).toBe('boolean');
      }),
    );
  });

  it('takes bounded time for a hostile file', () => {
    const cpuMs = countCpuMs();
    allows(`User-agent: *\nDisallow: /${'*a'.repeat(2_000)}$`, `https://example.com/${'a'.repeat(2_000)}`);
    allows(`User-agent:${' '.repeat(100_000)}x`);
    const url = `https://example.com/${'a'.repeat(2_000)}`;
    allows(`User-agent: *\n${`Disallow: /${'*a'.repeat(1_000)}b\n`.repeat(250)}`, url);
    allows(`User-agent: *\n${'Disallow: /aaaa\n'.repeat(32_000)}`, url);
    expect(cpuMs()).toBeLessThan(2_000);
  });
});

describe('RobotsGate', () => {
  function gateTo(answers: Record<string, () => Promise<RobotsFile>>) {
    const checked: string[] = [];
    const gate = new RobotsGate((url) => {
      checked.push(url);
      return answers[url]?.() ?? Promise.reject(new Error('unreachable'));
    }, AGENT);
    return { gate, checked };
  }
  const file = (body: string) => async (): Promise<RobotsFile> => ({ status: 200, body });

  it("fetches each host's file once for concurrent checks", async () => {
    const { gate, checked } = gateTo({ 'https://example.com/robots.txt': file('User-agent: *\nDisallow: /private') });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => gate.check(`https://example.com/${i % 2 === 0 ? 'private' : 'open'}/${i}`)),
    );
    expect(answers.map((answer) => answer.allowed)).toEqual(answers.map((_, i) => i % 2 === 1));
    expect(checked).toEqual(['https://example.com/robots.txt']);
  });

  it('fetches one file per origin: another scheme or port is another host', async () => {
    const { gate, checked } = gateTo({});
    for (const url of ['https://example.com/', 'http://example.com/', 'https://example.com:8443/'])
      await expect(gate.check(url)).rejects.toMatchObject({ message: 'unreachable' });
    expect(checked).toEqual([
      'https://example.com/robots.txt',
      'http://example.com/robots.txt',
      'https://example.com:8443/robots.txt',
    ]);
  });

  it('waits at most as long as the caller allows', async () => {
    const never = new Promise<RobotsFile>(() => undefined);
    const { gate } = gateTo({ 'https://example.com/robots.txt': () => never });
    await expect(gate.check(PAGE, 20)).rejects.toMatchObject({ kind: 'timeout' });
  });

  it('returns the rules of a host', async () => {
    const { gate, checked } = gateTo({ 'https://example.com/robots.txt': file('User-agent: *\nCrawl-delay: 3') });
    expect((await gate.rulesOf(PAGE)).crawlDelaySeconds).toBe(3);
    expect((await gate.check(PAGE)).allowed).toBe(true);
    expect(checked).toHaveLength(1);
  });

  it('fetches again after a failure, which is not cached', async () => {
    let up = false;
    const answer = () => (up ? file('')() : Promise.reject(new Error('refused')));
    const { gate, checked } = gateTo({ 'https://example.com/robots.txt': answer });
    await expect(gate.check(PAGE)).rejects.toMatchObject({ message: 'refused' });
    up = true;
    expect(await gate.check(PAGE)).toMatchObject({ allowed: true });
    expect(checked).toHaveLength(2);
  });
});
