import { describe, expect, it } from '@jest/globals';
import { cut, hashOf, PROSE } from '../../test/cut-html.ts';
import { textHash } from './content-hash.ts';

const signed = (signature: string, date: string): string =>
  `<a href="/f.pdf?X-Amz-Date=${date}&amp;X-Amz-Expires=300&amp;X-Amz-Signature=${signature}">the file</a>`;
const returning = (state: string): string =>
  `<a href="/login?return_to=${encodeURIComponent(`https://example.com/a?state=${state}`)}">Sign in</a>`;
const textHashOf = (html: string): string => textHash(cut(html)).toString('hex');

describe('textHash', () => {
  const page = (body: string): string => `<main>${PROSE}${body}</main>`;

  it('does not depend on link targets, and depends on every word of the content', () => {
    const [one, other] = ['/documents/2024', '/documents/2025'].map((href) => page(`<a href="${href}">the terms</a>`));
    expect(textHashOf(one ?? '')).toBe(textHashOf(other ?? ''));
    expect(hashOf(one ?? '')).not.toBe(hashOf(other ?? ''));
    expect(textHashOf(page('<a href="/documents/2024">the new terms</a>'))).not.toBe(textHashOf(one ?? ''));
  });

  it('leaves out what surrounds the content, and blocks of volatile_selectors', () => {
    expect(textHashOf(page('<p>x</p>'))).toBe(textHashOf(`<nav>menu</nav>${page('<p>x</p>')}`));
    const seen = (count: string) => textHash(cut(page(`<p>x</p><p class="v">${count}</p>`), undefined, '.v'));
    expect(seen('one')).toEqual(seen('two'));
  });
});

describe('contentHash', () => {
  const page = (body: string, rest = ''): string => `<nav>menu</nav><main>${PROSE}${body}</main>${rest}`;

  it.each([
    ['white space', '<p>one   two\n three</p>', '<p> one two three </p>'],
    ['the case of markup', '<P>one</P>', '<p>one</p>'],
    ['the order of attributes', '<p id="a" class="b">one</p>', '<p class="b" id="a">one</p>'],
    ['a tracking parameter', '<a href="/x?utm_source=1">one</a>', '<a href="/x?utm_source=2">one</a>'],
    ['a session id', '<a href="/x;jsessionid=AB12?y=1">one</a>', '<a href="/x?y=1">one</a>'],
    ['a picture’s build hash', '<img src="/a.3f2a9c1d.png">', '<img src="/b/a.77aa11bb.png?v=2">'],
    ['invisible characters', '<p>one\u200btwo\u00ad</p>', '<p>onetwo</p>'],
    ['the signature of a signed URL', signed('aa11', '20250101T000000Z'), signed('bb22', '20250102T000000Z')],
    ['a return URL with a token', returning('Zk3nQ8vXb2LwR7tYp1Ms9Q'), returning('pQ7wE2rT9yUi4oAs6dFg1h')],
    ['a space before punctuation', '<p>kept <b>safe</b><i>.</i></p>', '<p>kept <b>safe</b>.</p>'],
    ['a bullet', '<p>one</p><p>•</p>', '<p>one</p>'],
    ['an image without alternative text', '<p>one</p><img src="/border.png" alt="">', '<p>one</p>'],
    ['another encoding of the same letters', '<p>caf\u00e9 ﬁne</p>', '<p>cafe\u0301 fine</p>'],
    [
      'an email shield',
      '<a href="/cdn-cgi/l/email-protection#1a2b">mail</a>',
      '<a href="/cdn-cgi/l/email-protection#9f8e">mail</a>',
    ],
  ])('does not depend on %s', (_, one, other) => {
    expect(hashOf(page(one))).toBe(hashOf(page(other)));
  });

  it('depends on every word, every digit, the order of words and blocks, and link targets', () => {
    const pages = [
      '<p>$19 one</p>',
      '<p>$91 one</p>',
      '<p>one $19</p>',
      '<p>$19</p><p>one</p>',
      '<p>one</p><p>$19</p>',
    ];
    const links = ['<a href="/a">one</a>', '<a href="/b">one</a>'];
    const hashes = [...pages, ...links].map((body) => hashOf(page(body)));
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it('does not depend on what surrounds the content; without a main landmark, everything else counts as content', () => {
    expect(hashOf(page('<p>x</p>', '<footer>2025</footer>'))).toBe(hashOf(page('<p>x</p>', '<footer>2026</footer>')));
    expect(hashOf('<nav>a</nav><p>x</p>')).toBe(hashOf('<nav>b</nav><p>x</p>'));
    expect(hashOf('<nav>a</nav><p>x</p>')).not.toBe(hashOf('<nav>a</nav><p>y</p>'));
  });
});

describe('headFields', () => {
  it('keeps the scheme and the host that the page states', () => {
    const { head } = cut(`<head><link rel="canonical" href="http://www.example.com/a?utm_source=x"></head><p>x</p>`);
    expect(head).toEqual([{ name: 'canonical', value: 'http://www.example.com/a' }]);
  });

  it('omits what a build or a visit changes', () => {
    const of = (head: string) => cut(`<head>${head}</head><h1>Name</h1><p>x</p>`).head;
    expect(
      of(`<title>A | Site</title><meta name="csrf-token" content="1"><meta name="robots" content="NOINDEX, follow">
        <link rel="canonical" href="/a?utm_source=x"><link rel="alternate" hreflang="FR" href="/fr"><link rel="alternate" hreflang="de" href="/de">
        <meta property="og:image" content="/og.VdC3GQqW.png?w=1"><script type="application/ld+json">{"@type":"Product"}</script>`),
    ).toEqual([
      { name: 'title', value: 'A | Site' },
      { name: 'canonical', value: 'https://example.com/a' },
      { name: 'robots', value: 'follow, noindex' },
      { name: 'hreflang', value: 'de https://example.com/de' },
      { name: 'hreflang', value: 'fr https://example.com/fr' },
      { name: 'h1', value: 'Name' },
      { name: 'og:image', value: '/og.png' },
      { name: 'json-ld', value: 'Product' },
    ]);
  });
});
