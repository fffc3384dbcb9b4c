import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { describeCorpus } from '../test/corpora.ts';
import { MAX_URL_CHARS, parseWebUrl } from './parse-web-url.ts';

const REFUSED: readonly (readonly [string, string])[] = [
  ['ftp://example.com/', 'only http and https addresses can be fetched; got ftp:'],
  ['file:///etc/passwd', 'only http and https addresses can be fetched; got file:'],
  ['FILE:x', 'only http and https addresses can be fetched; got file:'],
  ['javascript:alert(1)', 'only http and https addresses can be fetched; got javascript:'],
  ['view-source:http://example.com/', 'only http and https addresses can be fetched; got view-source:'],
  ['data:text/html,x', 'only http and https addresses can be fetched; got data:'],
  ['source:file:/x', 'only http and https addresses can be fetched; got source:'],
  ['', 'the address is empty'],
  ['example.com', 'the address must be absolute, starting with http:// or https://'],
  ['//example.com/', 'the address must be absolute, starting with http:// or https://'],
  ['http:example.com', 'the scheme must be followed by // and a host name'],
  ['http:/example.com', 'the scheme must be followed by // and a host name'],
  ['http:///example.com', 'the address has no host name'],
  ['http://', 'the address has no host name'],
  ['http://?q', 'the address has no host name'],
  ['http://./', 'the address has no host name'],
  ['http://user@example.com/', 'an address may not carry a user name or password'],
  ['http://user:pass@example.com/', 'an address may not carry a user name or password'],
  ['http://@example.com/', 'an address may not carry a user name or password'],
  ['http://127.0.0.1:6666\\@public.example/', 'the address holds a backslash'],
  ['http://example.com/a\\b', 'the address holds a backslash'],
  ['http://exam\tple.com/', 'the address holds a control character'],
  ['http://example.com/\r\nx: y', 'the address holds a control character'],
  ['http://example.com/\0', 'the address holds a control character'],
  ['http://example.com/\u007f', 'the address holds a control character'],
  ['http://example.com/\u0085x', 'the address holds a control character'],
  [' http://example.com/', 'the address starts or ends with white space'],
  ['http://example.com/\n', 'the address starts or ends with white space'],
  ['http://example.com/\ud800', 'the address holds half of a surrogate pair'],
  ['http://exa mple.com/', 'the address is not a valid URL'],
  ['http://example.com:99999/', 'the address is not a valid URL'],
  ['http://1.2.3.999/', 'the address is not a valid URL'],
  ['http://[::1/', 'the address is not a valid URL'],
  ['http://a..b/', 'the host name has an empty label'],
  [`http://${'a'.repeat(64)}.com/`, 'a label of the host name is longer than 63 characters'],
  [`http://${'a.'.repeat(130)}com/`, 'the host name is longer than 253 characters'],
  [`http://example.com/${'a'.repeat(MAX_URL_CHARS)}`, 'the address is longer than 2048 characters'],
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

interface WptCase {
  readonly input: string;
  readonly base?: string | null;
  readonly failure?: boolean;
  readonly href?: string;
  readonly hostname?: string;
}

const casesOf = (file: string): WptCase[] =>
  JSON.parse(readFileSync(file, 'utf8')).filter((entry: unknown) => typeof entry === 'object');

for (const name of ['urltestdata.json', 'ada_extra_urltestdata.json', 'verifydnslength_tests.json']) {
  describeCorpus(`attack/wpt-url/${name}`, `WPT ${name}`, (file) => {
    it('parses every URL as the standard does or refuses it', () => {
      const cases = casesOf(file);
      let accepted = 0;
      for (const { input, failure, href, base } of cases) {
        const parsed = parseWebUrl(input);
        if (!parsed.ok) continue;
        accepted += 1;
        // A case with an invalid base tests the base.
        if (typeof base === 'string' && !URL.canParse(base)) continue;
        expect([input, failure ?? false]).toEqual([input, false]);
        if (href !== undefined) expect([input, parsed.url.href]).toEqual([input, href]);
      }
      expect(cases.length).toBeGreaterThan(5);
      expect(accepted).toBeGreaterThan(0);
    });
  });
}

describeCorpus('attack/wpt-url/toascii.json', 'WPT toascii.json', (file) => {
  it('converts every domain to ASCII as the standard does or refuses it', () => {
    for (const { input, output } of JSON.parse(readFileSync(file, 'utf8')).slice(1)) {
      if (typeof input !== 'string') continue;
      const parsed = parseWebUrl(`https://${input}/x`);
      if (parsed.ok) expect([input, parsed.url.host]).toEqual([input, output]);
    }
  });
});

describeCorpus('urls/crawler-commons-invalidUrls.csv', 'crawler-commons invalid URLs', (file) => {
  it('refuses every URL', () => {
    const lines = readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    for (const line of lines) expect([line, parseWebUrl(line).ok]).toEqual([line, false]);
    expect(lines.length).toBe(2);
  });
});
