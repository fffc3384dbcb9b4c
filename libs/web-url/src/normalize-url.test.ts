import { describe, expect, it } from '@jest/globals';
import { rowsOf } from '@tidemark/testkit/cases/rule-cases';
import { NORMALIZED_URLS, PARSED_URLS, RESOLUTION_BASE, RESOLVED_URLS } from '@tidemark/testkit/cases/urls';
import fc from 'fast-check';
import { normalizeUrl, urlKey } from './normalize-url.ts';

describe('normalizeUrl', () => {
  it.each(rowsOf(NORMALIZED_URLS))('normalises by the rule that %s: %j', (_rule, [url, normal]) => {
    expect(normalizeUrl(url)).toBe(normal);
    expect(normalizeUrl(new URL(url))).toBe(normal);
  });

  it.each(rowsOf(PARSED_URLS))('keeps its result and the host of any URL: %s: %j', (_rule, [text]) => {
    const url = URL.parse(text);
    if (url === null) return expect(() => normalizeUrl(text)).toThrow('Invalid URL');
    const once = normalizeUrl(text);
    expect(normalizeUrl(once)).toBe(once);
    // A host that is invalid without its trailing dots, such as 1.2.3.4.., keeps them.
    if (/^https?:$/.test(url.protocol))
      expect([url.hostname, url.hostname.replace(/\.+$/, '')]).toContain(new URL(once).hostname);
  });

  it.each(rowsOf(RESOLVED_URLS))('normalises what a reference resolves to: %s: %j', (_rule, [reference, href]) => {
    const url = URL.parse(reference, RESOLUTION_BASE);
    expect(url?.href ?? null).toBe(href);
    if (url !== null && href !== null) expect(normalizeUrl(url)).toBe(normalizeUrl(href));
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
