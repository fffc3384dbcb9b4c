import { describe, expect, it } from '@jest/globals';
import { countCpuMs } from '@tidemark/testkit';
import fc from 'fast-check';
import { readRobots } from './robots-policy.ts';

const PAGE = 'https://example.com/private/page';
const read = (body: string, status = 200, agent = 'Tidemark') =>
  readRobots('https://example.com/robots.txt', { status, body }, agent);
const allows = (body: string, url = PAGE): boolean => read(body).decide(url).allowed;
const allowsPath = (rule: string, path: string): boolean =>
  allows(`User-agent: *\n${rule}`, `https://example.com${path}`);

describe('the status of robots.txt (RFC 9309 2.3.1)', () => {
  it.each([200, 204])('%d: the rules of the file apply', (status) => {
    expect(read('User-agent: *\nDisallow: /', status).decide(PAGE).allowed).toBe(false);
  });
  it.each([301, 400, 401, 403, 404, 410])('%d: everything is allowed (2.3.1.3)', (status) => {
    const policy = read('User-agent: *\nDisallow: /', status);
    expect(policy).toMatchObject({ kind: 'none', sitemaps: [], crawlDelaySeconds: undefined });
    expect(policy.decide(PAGE)).toEqual({ allowed: true, reason: `robots.txt answers ${status}` });
  });
  it.each([429, 500, 502, 503, 599])('%d: nothing is allowed, and the policy is cached briefly (2.3.1.4)', (status) => {
    const policy = read('', status);
    expect(policy.kind).toBe('refused');
    expect(policy.decide(PAGE)).toMatchObject({ allowed: false, reason: expect.stringContaining(`${status}`) });
    expect(policy.cacheMs).toBeLessThan(read('').cacheMs);
  });
  it('an HTML page instead of the file is no file, unless it holds rules', () => {
    const page = '<!doctype html><html><head><title>Home</title></head><body>Welcome to our shop</body></html>';
    expect(read(page)).toMatchObject({ kind: 'none' });
    expect(allows(page)).toBe(true);
    expect(allows('<html><pre>\nUser-agent: *\nDisallow: /private\n</pre>')).toBe(false);
  });
});

describe('the form of lines (RFC 9309 2.2, as tolerant as Google)', () => {
  it.each([
    ['no space', 'Disallow:/private'],
    ['spaces around the colon', '  disallow  :  /private  '],
    ['upper case', 'DISALLOW: /private'],
    ['a comment behind', 'Disallow: /private # not for robots'],
    ['a tab for a space', 'Disallow:\t/private'],
    ['a missing colon', 'Disallow /private'],
    ['a doubled s', 'Dissallow: /private'],
    ['a missing l', 'Dissalow: /private'],
    ['one s and one l', 'Disalow: /private'],
    ['two letters swapped', 'Diasllow: /private'],
    ['another vowel', 'Disallaw: /private'],
  ])('is read with %s', (_, rule) => {
    expect(allows(`User-agent: *\n${rule}`)).toBe(false);
  });
  it.each([
    ['a missing colon in more than two words', 'Disallow /private for all'],
    ['an unknown key', 'Noindex: /private'],
    ['a comment before', '# Disallow: /private'],
    ['a byte order mark inside the file', '\ufeffDisallow: /private'],
    ['an empty value', 'Disallow:'],
  ])('is ignored with %s', (_, rule) => {
    expect(allows(`User-agent: *\n${rule}`)).toBe(true);
  });
  it.each(['\n', '\r', '\r\n', '\n\n\n'])('ends at %j', (end) => {
    expect(allows(['User-agent: *', 'Disallow: /private'].join(end))).toBe(false);
  });
  it('may follow a byte order mark at the start of the file', () => {
    expect(allows('\ufeffUser-agent: *\nDisallow: /')).toBe(false);
  });
  it('ends at 16,664 characters', () => {
    const long = `Disallow: /private${'x'.repeat(20_000)}`;
    expect(allows(`User-agent: *\n${long}`, `https://example.com/private${'x'.repeat(16_640)}`)).toBe(true);
    expect(allows(`User-agent: *\n${long}`, `https://example.com/private${'x'.repeat(19_000)}`)).toBe(false);
  });
});

describe('groups (RFC 9309 2.2.1)', () => {
  it.each([
    ['the name in another case', 'User-agent: tidemark'],
    ['a version', 'User-agent: Tidemark/2.1'],
    ['words behind the name', 'User-agent: Tidemark the crawler # ours'],
    ['an unhyphenated key', 'Useragent: Tidemark'],
    ['a key of two words', 'User agent: Tidemark'],
  ])('apply to this crawler with %s', (_, agent) => {
    expect(allows(`User-agent: *\nAllow: /\n\n${agent}\nDisallow: /`)).toBe(false);
  });
  it.each(['TidemarkOther', 'Tide', 'My-Tidemark', 'Tidemark_x'])('do not apply to it with the name %s', (agent) => {
    expect(allows(`User-agent: ${agent}\nDisallow: /`)).toBe(true);
  });
  it('of the name replace the groups for all crawlers', () => {
    const both = 'User-agent: *\nDisallow: /\n\nUser-agent: tidemark\nAllow: /';
    expect(allows(both)).toBe(true);
    expect(allows('User-agent: tidemark\nCrawl-delay: 1\n\nUser-agent: *\nDisallow: /open')).toBe(true);
  });
  it('of the same name count together, wherever they stand', () => {
    const split =
      'User-agent: Tidemark\nDisallow: /a\n\nUser-agent: x\nDisallow: /\n\nUser-agent: Tidemark\nDisallow: /b';
    expect([allows(split, 'https://example.com/a'), allows(split, 'https://example.com/b')]).toEqual([false, false]);
    expect(allows(split, 'https://example.com/c')).toBe(true);
  });
  it('start with one or more user-agent lines, between which other lines do not count', () => {
    const shared = 'User-agent: x\nSitemap: https://example.com/s.xml\nUser-agent: Tidemark\nDisallow: /private';
    expect(allows(shared)).toBe(false);
  });
  it('are required: rules before the first user-agent line have no effect', () => {
    expect(allows('Disallow: /\nUser-agent: x\nAllow: /')).toBe(true);
  });
});

describe('the precedence of rules (RFC 9309 2.2.2)', () => {
  it.each([
    ['the longest match decides', 'Disallow: /\nAllow: /private/', true],
    ['also if it disallows', 'Allow: /private\nDisallow: /private/page', false],
    ['of two equally long ones the one that allows', 'Disallow: /private\nAllow: /private', true],
    ['in any order', 'Allow: /private\nDisallow: /private', true],
    ['an empty rule is none', 'Disallow: /private\nAllow:', false],
    ['wildcards count for the length', 'Allow: /private\nDisallow: /*te/page', false],
  ])('%s', (_, rules, allowed) => {
    expect(allows(`User-agent: *\n${rules}`)).toBe(allowed);
  });
  it('reports the line that decides', () => {
    expect(read('# hello\nUser-agent: *\nDisallow: /private').decide(PAGE)).toEqual({
      allowed: false,
      reason: 'robots.txt disallows it for Tidemark in line 3',
      line: 3,
    });
  });
  it('applies an allowed index page to its folder', () => {
    const folder = 'User-agent: *\nDisallow: /\nAllow: /open/index.html';
    expect(allows(folder, 'https://example.com/open/')).toBe(true);
    expect(allows(folder, 'https://example.com/open/other')).toBe(false);
  });
});

describe('the match of a path (RFC 9309 2.2.2 and 2.2.3)', () => {
  it.each([
    ['/fish', ['/fish', '/fish.html', '/fishheads/yummy.html', '/fish?id=1'], ['/Fish', '/catfish', '/']],
    ['/fish/', ['/fish/', '/fish/?id=1', '/fish/salmon.htm'], ['/fish', '/fish.html']],
    ['/*.php', ['/index.php', '/a/b.php?x=1', '/a.php5'], ['/', '/windows.PHP']],
    ['/*.php$', ['/index.php', '/a/b.php'], ['/a.php?x=1', '/a.php/', '/a.php5']],
    ['/fish*.php', ['/fish.php', '/fishheads/catfish.php?id=1'], ['/Fish.PHP']],
    ['/$', ['/'], ['/a', '/?x']],
    ['*', ['/', '/any?x=1'], []],
    ['/a$b', ['/a$b', '/a$bc'], ['/a']],
    ['/a*b*c$', ['/abc', '/axbxc', '/abcbc'], ['/ab', '/abcd']],
    ['/ab*ab$', ['/abab', '/abxab'], ['/ab', '/aba']],
    ['/caf%C3%A9', ['/caf%C3%A9', '/café', '/caf%c3%a9'], ['/cafe']],
    ['/café', ['/caf%C3%A9', '/café'], ['/cafe']],
    ['/a%2fb', ['/a%2Fb', '/a%2fb'], ['/a/b']],
    ['/a{b}', ['/a{b}', '/a%7Bb%7D'], ['/ab']],
    ['/x?q=*&p', ['/x?q=1&p=2', '/x?q=&p'], ['/x?p=1']],
    ['no-slash', [], ['/no-slash']],
  ])('%s', (pattern, matching, others) => {
    expect(matching.filter((path) => allowsPath(`Disallow: ${pattern}`, path))).toEqual([]);
    expect(others.filter((path) => !allowsPath(`Disallow: ${pattern}`, path))).toEqual([]);
  });

  it('equals a regular expression of the pattern for any pattern and path', () => {
    const letters = fc.constantFrom('a', 'b', '/');
    const pattern = fc
      .array(fc.oneof(letters, fc.constant('*')), { maxLength: 8 })
      .map((parts) => `/${parts.join('')}`);
    const path = fc.array(letters, { maxLength: 12 }).map((parts) => `/x${parts.join('')}`);
    fc.assert(
      fc.property(pattern, path, fc.boolean(), (wildcards, text, isAnchored) => {
        const source = wildcards.replace('/', '/x').replaceAll(/\*+/g, '.*');
        const expected = new RegExp(`^${source}${isAnchored ? '$' : ''}`).test(text);
        const rule = `Disallow: ${wildcards.replace('/', '/x')}${isAnchored ? '$' : ''}`;
        expect(allowsPath(rule, text)).toBe(!expected);
      }),
    );
  });
});

describe('crawl-delay and sitemaps', () => {
  it('are returned, the sitemaps as absolute URLs, each once', () => {
    const text = `User-agent: *\nCrawl-delay: 2.5\nSitemap: /a.xml\nSite-map: https://cdn.example/b.xml\nSitemap: /a.xml
      sitemap: https://me:secret@example.com/c.xml\nSitemap: ftp://x/\nSitemap:\nSitemap: https://example.com/d.xml extra`;
    expect(read(text)).toMatchObject({
      crawlDelaySeconds: 2.5,
      sitemaps: ['https://example.com/a.xml', 'https://cdn.example/b.xml', 'https://example.com/d.xml'],
    });
  });
  it('of another crawler do not apply, sitemaps always do', () => {
    const policy = read('User-agent: x\nCrawl-delay: 9\nSitemap: /a.xml');
    expect(policy).toMatchObject({ crawlDelaySeconds: undefined, sitemaps: ['https://example.com/a.xml'] });
  });
  it('crawl-delay is limited to 30 seconds', () => {
    expect(read('User-agent: *\nCrawl-delay: 1e99').crawlDelaySeconds).toBe(30);
    expect(read('User-agent: *\nCrawl-delay: 120').crawlDelaySeconds).toBe(30);
  });
  it.each(['-5', 'soon', 'NaN', '', '5 s'])('crawl-delay %j is none', (delay) => {
    expect(read(`User-agent: *\nCrawl-delay: ${delay}`).crawlDelaySeconds).toBeUndefined();
  });
  it('at most 10,000 sitemaps are returned', () => {
    const many = Array.from({ length: 12_000 }, (_, at) => `Sitemap: /${at}.xml`).join('\n');
    expect(read(many).sitemaps).toHaveLength(10_000);
  });
});

describe('a hostile file', () => {
  it('decides about any text', () => {
    const line = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('User-agent: *', 'Disallow: /*$', 'Allow: %', ':', 'Disallow: /\ud800'),
    );
    fc.assert(
      fc.property(fc.array(line), fc.webUrl(), (lines, url) => {
        expect(typeof allows(lines.join('\n'), url)).toBe('boolean');
      }),
    );
  });

  it('refuses rather than allows beyond 5,000 wildcards', () => {
    const filler = 'Disallow: /*a\n'.repeat(5_000);
    expect(allows(`User-agent: *\n${filler}Disallow: /private*z`)).toBe(false);
    expect(allows(`User-agent: *\nDisallow: /private\n${filler}Allow: /private/p*ge`)).toBe(false);
  });

  it('takes bounded time', () => {
    const cpuMs = countCpuMs();
    const url = `https://example.com/${'a'.repeat(2_000)}`;
    allows(`User-agent: *\nDisallow: /${'*a'.repeat(2_000)}$`, url);
    allows(`User-agent:${' '.repeat(100_000)}x`);
    allows(`User-agent: *\n${`Disallow: /${'*a'.repeat(1_000)}b\n`.repeat(250)}`, url);
    allows(`User-agent: *\n${'Disallow: /aaaa\n'.repeat(32_000)}`, url);
    allows(`User-agent: *\nAllow: /${'a*'.repeat(8_000)}index.html`, url);
    expect(cpuMs()).toBeLessThan(2_000);
  });
});
