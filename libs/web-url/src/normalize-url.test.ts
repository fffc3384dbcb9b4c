import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { describeCorpus } from '../test/corpora.ts';
import { normalizeUrl, urlKey } from './normalize-url.ts';

const SAME: readonly (readonly [string, string])[] = [
  ['http://example.com', 'http://example.com/'],
  ['HTTP://EXAMPLE.com:80/#top', 'http://example.com/'],
  ['https://example.com:443/a', 'https://example.com/a'],
  ['https://example.com:8443/a', 'https://example.com:8443/a'],
  ['http://example.com./a', 'http://example.com/a'],
  ['http://1.2.3.4./', 'http://1.2.3.4/'],
  ['http://bücher.example/', 'http://xn--bcher-kva.example/'],
  ['http://example.com/?', 'http://example.com/'],
  ['http://example.com/a?#', 'http://example.com/a'],
  ['http://example.com/?b=2&a=1', 'http://example.com/?b=2&a=1'],
  ['http://example.com/%7euser/%41?%62=%7E', 'http://example.com/~user/A?b=~'],
  ['http://example.com/a%2fb%3f', 'http://example.com/a%2Fb%3F'],
  ['http://example.com/%2541', 'http://example.com/%2541'],
  ['http://example.com/100%', 'http://example.com/100%25'],
  ['http://example.com/%%34%31', 'http://example.com/%2541'],
  ['http://example.com/a/./b/../c', 'http://example.com/a/c'],
  ['http://example.com/a%2eb', 'http://example.com/a.b'],
  ['http://example.com/%2e%2e/a', 'http://example.com/a'],
  ['http://example.com/é?é', 'http://example.com/%C3%A9?%C3%A9'],
  ['http://example.com/a+b?c+d', 'http://example.com/a+b?c+d'],
  ['http://example.com/a|b^c?x[y]=`{}', 'http://example.com/a%7Cb%5Ec?x%5By%5D=%60%7B%7D'],
  ['http://u:p@example.com/', 'http://example.com/'],
  ['http://[::FFFF:1.2.3.4]:80/', 'http://[::ffff:102:304]/'],
];

describe('normalizeUrl', () => {
  it.each(SAME)('normalises %s to %s', (url, normal) => {
    expect(normalizeUrl(url)).toBe(normal);
    expect(normalizeUrl(new URL(url))).toBe(normal);
  });

  it('does not modify its argument and throws TypeError for text that is not an absolute URL', () => {
    const url = new URL('http://example.com./#a');
    normalizeUrl(url);
    expect(url.href).toBe('http://example.com./#a');
    expect(() => normalizeUrl('example.com')).toThrow('Invalid URL');
  });

  it('is idempotent', () => {
    const messy = fc
      .array(
        fc.constantFrom(
          '%',
          '%4',
          '%41',
          '%2f',
          '%2E',
          '.',
          '..',
          '/',
          '?',
          '#',
          '&',
          'é',
          ' ',
          'A',
          ':',
          '@',
          '\\',
          '1',
        ),
      )
      .map((parts) => parts.join(''));
    const url = fc.oneof(
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
      messy.map((tail) => `http://example.com/${tail}`),
      messy.map((host) => `http://a${host}.com./`),
      fc.string({ unit: 'binary' }).map((tail) => `https://example.com/${tail}`),
    );
    fc.assert(
      fc.property(
        url.filter((text) => URL.canParse(text)),
        (text) => {
          const once = normalizeUrl(text);
          return normalizeUrl(once) === once && new URL(once).href === once;
        },
      ),
      { numRuns: 5_000 },
    );
  });

  it('never changes host and port', () => {
    fc.assert(
      fc.property(fc.webUrl({ validSchemes: ['http', 'https'] }), (text) => {
        const before = new URL(text);
        const after = new URL(normalizeUrl(text));
        return after.host === before.host.replace(/\.(?=$|:)/, '') && after.protocol === before.protocol;
      }),
    );
  });
});

describe('urlKey', () => {
  it('is the SHA-256 of the normalised URL, equal for equivalent URLs', () => {
    expect(urlKey('HTTP://example.com:80/#x')).toBe('2a1b402420ef46577471cdc7409b0fa2c6a204db316e59ade2d805435489a067');
    expect(urlKey('http://example.com/%7e')).toBe(urlKey('http://EXAMPLE.com./~'));
    expect(urlKey('http://example.com/a')).not.toBe(urlKey('http://example.com/A'));
  });
});

describeCorpus('attack/wpt-url/urltestdata.json', 'WPT urltestdata.json', (file) => {
  it('normalises every valid URL to a fixed point on the same host', () => {
    const cases = JSON.parse(readFileSync(file, 'utf8'));
    let checked = 0;
    for (const { href, failure } of cases) {
      if (failure === true || typeof href !== 'string') continue;
      const once = normalizeUrl(href);
      expect([href, normalizeUrl(once)]).toEqual([href, once]);
      if (href.startsWith('http')) {
        const { hostname } = new URL(href);
        // A host that is invalid without its trailing dots, such as foo.09.., keeps them.
        expect([hostname, hostname.replace(/\.+$/, '')]).toContain(new URL(once).hostname);
      }
      checked += 1;
    }
    expect(checked).toBeGreaterThan(300);
  });
});

describeCorpus('urls/crawler-commons-weirdToNormalizedUrls.csv', 'crawler-commons normalisation', (file) => {
  it('normalises URLs as crawler-commons does, except for the order of queries and repeated slashes', () => {
    let total = 0;
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      const [weird = '', normal = ''] = line.split(', ');
      if (line.startsWith('#') || !weird.startsWith('http') || !URL.canParse(weird) || !URL.canParse(normal)) continue;
      // crawler-commons changes query order and empty path segments; normalizeUrl does not, because they may select another page.
      const { pathname, search } = new URL(weird);
      if (pathname.includes('//') || search.includes('&')) continue;
      expect([weird, normalizeUrl(weird)]).toEqual([weird, normalizeUrl(normal)]);
      total += 1;
    }
    expect(total).toBeGreaterThan(60);
  });
});

describeCorpus('urls/crawler-commons-url-resolve.csv', 'crawler-commons resolution', (file) => {
  it('resolves relative URLs as crawler-commons does, after normalisation', () => {
    let total = 0;
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      const [relative = '', base = '', expected = ''] = line.split(', ').map((cell) => cell.replace(/^"(.*)"$/, '$1'));
      if (line.startsWith('#') || expected === '') continue;
      const url = base === '' ? URL.parse(relative) : URL.parse(relative, base);
      expect([line, url === null ? null : normalizeUrl(url)]).toEqual([line, normalizeUrl(expected)]);
      total += 1;
    }
    expect(total).toBeGreaterThan(5);
  });
});
