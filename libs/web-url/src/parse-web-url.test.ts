import { describe, expect, it } from '@jest/globals';
import { casesOf, rowsOf } from '@tidemark/testkit/cases/rule-cases';
import { PARSED_URLS } from '@tidemark/testkit/cases/urls';
import fc from 'fast-check';
import { MAX_URL_CHARS, parseWebUrl } from './parse-web-url.ts';

const REFUSED: readonly (readonly [string, string])[] = [
  ['ftp://example.com/', 'only http and https URLs can be fetched; got ftp:'],
  ['file:///etc/passwd', 'only http and https URLs can be fetched; got file:'],
  ['FILE:x', 'only http and https URLs can be fetched; got file:'],
  ['javascript:alert(1)', 'only http and https URLs can be fetched; got javascript:'],
  ['view-source:http://example.com/', 'only http and https URLs can be fetched; got view-source:'],
  ['data:text/html,x', 'only http and https URLs can be fetched; got data:'],
  ['source:file:/x', 'only http and https URLs can be fetched; got source:'],
  ['', 'the URL is empty'],
  ['example.com', 'the URL must be absolute, starting with http:// or https://'],
  ['//example.com/', 'the URL must be absolute, starting with http:// or https://'],
  ['http:example.com', 'the scheme must be followed by // and a host name'],
  ['http:/example.com', 'the scheme must be followed by // and a host name'],
  ['http:///example.com', 'the URL has no host name'],
  ['http://', 'the URL has no host name'],
  ['http://?q', 'the URL has no host name'],
  ['http://./', 'the URL has no host name'],
  ['http://user@example.com/', 'a URL may not carry a user name or password'],
  ['http://user:pass@example.com/', 'a URL may not carry a user name or password'],
  ['http://@example.com/', 'a URL may not carry a user name or password'],
  ['http://127.0.0.1:6666\\@public.example/', 'the URL holds a backslash'],
  ['http://example.com/a\\b', 'the URL holds a backslash'],
  ['http://exam\tple.com/', 'the URL holds a control character'],
  ['http://example.com/\r\nx: y', 'the URL holds a control character'],
  ['http://example.com/\0', 'the URL holds a control character'],
  ['http://example.com/\u007f', 'the URL holds a control character'],
  ['http://example.com/\u0085x', 'the URL holds a control character'],
  [' http://example.com/', 'the URL starts or ends with white space'],
  ['http://example.com/\n', 'the URL starts or ends with white space'],
  ['http://example.com/\ud800', 'the URL holds half of a surrogate pair'],
  ['http://exa mple.com/', 'it is not a valid URL'],
  ['http://example.com:99999/', 'it is not a valid URL'],
  ['http://1.2.3.999/', 'it is not a valid URL'],
  ['http://[::1/', 'it is not a valid URL'],
  ['http://a..b/', 'the host name has an empty label'],
  [`http://${'a'.repeat(64)}.com/`, 'a label of the host name is longer than 63 characters'],
  [`http://${'a.'.repeat(130)}com/`, 'the host name is longer than 253 characters'],
  [`http://example.com/${'a'.repeat(MAX_URL_CHARS)}`, 'the URL is longer than 2048 characters'],
];

describe('parseWebUrl', () => {
  it.each(REFUSED)('refuses %j because %s', (input, reason) => {
    expect(parseWebUrl(input)).toEqual({ ok: false, reason });
  });

  it.each([
    ['http://example.com', 'http://example.com/'],
    ['HTTPS://Example.COM:443/a?b#c', 'https://example.com/a?b#c'],
    ['http://bücher.example/', 'http://xn--bcher-kva.example/'],
    ['http://example.com./', 'http://example.com./'],
    ['http://under_score.example/', 'http://under_score.example/'],
    ['http://0x7f.1/', 'http://127.0.0.1/'],
    ['http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/', 'http://localhost/'],
    ['http://[::FFFF:127.0.0.1]/', 'http://[::ffff:7f00:1]/'],
    ['http://example.com/a b?q=@#@', 'http://example.com/a%20b?q=@#@'],
    [`http://example.com/${'a'.repeat(MAX_URL_CHARS - 19)}`, `http://example.com/${'a'.repeat(MAX_URL_CHARS - 19)}`],
  ])('parses %s as %s', (input, href) => {
    const parsed = parseWebUrl(input);
    expect(parsed.ok ? parsed.url.href : parsed.reason).toBe(href);
  });

  it('never throws and never accepts another scheme, userinfo or an empty host', () => {
    const text = fc.oneof(
      fc.webUrl(),
      fc.string({ unit: 'binary' }),
      fc.string().map((tail) => `http://${tail}`),
    );
    fc.assert(
      fc.property(text, (input) => {
        const parsed = parseWebUrl(input);
        if (!parsed.ok) return parsed.reason.length > 0;
        const { protocol, username, password, hostname } = parsed.url;
        return /^https?:$/.test(protocol) && username === '' && password === '' && hostname !== '';
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('parseWebUrl of every form of a URL', () => {
  it.each(rowsOf(PARSED_URLS))('parses it as the standard does or refuses it: %s: %j', (_rule, [text, href]) => {
    const parsed = parseWebUrl(text);
    if (parsed.ok) expect(parsed.url.href).toBe(href);
    else expect(parsed.reason).not.toBe('');
  });

  it('refuses no more than the forms that its own rules exclude', () => {
    const readable = casesOf(PARSED_URLS).filter(([, href]) => href !== null && /^https?:/.test(href));
    const refused = readable.filter(([text]) => !parseWebUrl(text).ok).map(([text]) => text);
    // White space around, tabs and control characters, backslashes, credentials, missing slashes, empty labels, half surrogate pairs.
    const EXCLUDED = /^\s|\s$|[\p{Cc}\p{Cs}\\@]|^http:(?!\/\/[^/])|\.\.|\/\/\./u;
    expect(refused.filter((text) => !EXCLUDED.test(text))).toEqual([]);
  });
});
