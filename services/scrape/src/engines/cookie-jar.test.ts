import { describe, expect, it } from '@jest/globals';
import { JobCookies } from './cookie-jar.ts';

/** Returns the Cookie header for `to` after `from` has set these lines. */
function sent(from: string, lines: readonly string[], to: string): string | undefined {
  const jar = new JobCookies();
  jar.store(from, lines);
  return jar.header(to);
}
const HOME = 'https://www.example.com/shop/cart';

describe('JobCookies (RFC 6265)', () => {
  it.each([
    // 5.1.3, 5.3 step 6: domains
    ['without Domain: sent to the same host', 'a=1', HOME, 'https://www.example.com/shop/', 'a=1'],
    ['without Domain: not sent to a subdomain', 'a=1', HOME, 'https://eu.www.example.com/shop/', undefined],
    ['without Domain: not sent to a parent domain', 'a=1', HOME, 'https://example.com/shop/', undefined],
    [
      'with the Domain of a parent: sent to its other hosts',
      'a=1; Domain=example.com',
      HOME,
      'https://eu.example.com/shop/',
      'a=1',
    ],
    [
      'with a leading dot in Domain: the dot is ignored',
      'a=1; Domain=.example.com',
      HOME,
      'https://example.com/shop/',
      'a=1',
    ],
    [
      'with Domain in capitals: compared in lower case',
      'a=1; DOMAIN=EXAMPLE.com',
      HOME,
      'https://example.com/shop/',
      'a=1',
    ],
    [
      'with an empty Domain: treated as without Domain',
      'a=1; Domain=',
      HOME,
      'https://eu.www.example.com/shop/',
      undefined,
    ],
    [
      'with the Domain of another site: rejected',
      'a=1; Domain=example.org',
      HOME,
      'https://example.org/shop/',
      undefined,
    ],
    [
      'with a Domain that is only a suffix of the name: rejected',
      'a=1; Domain=ple.com',
      HOME,
      'https://ple.com/shop/',
      undefined,
    ],
    [
      'with the Domain of a public suffix: rejected',
      'a=1; Domain=co.uk',
      'https://shop.co.uk/shop/',
      'https://other.co.uk/shop/',
      undefined,
    ],
    ['set by a host of one label: sent to it', 'a=1; Path=/', 'http://test/', 'http://test/', 'a=1'],
    [
      'with the prefix __Host- and a Domain: rejected',
      '__Host-a=1; Secure; Path=/; Domain=example.com',
      HOME,
      HOME,
      undefined,
    ],
    ['with a top-level Domain: rejected', 'a=1; Domain=com', HOME, 'https://example.com/shop/', undefined],
    [
      'with a part of an IP address as Domain: rejected',
      'a=1; Domain=0.0.2',
      'http://127.0.0.2/',
      'http://9.0.0.2/',
      undefined,
    ],
    [
      'with an IP address as Domain: sent to it',
      'a=1; Domain=127.0.0.2',
      'http://127.0.0.2/',
      'http://127.0.0.2/',
      'a=1',
    ],
    // 5.1.4: paths
    ['without Path: sent to their folder', 'a=1', HOME, 'https://www.example.com/shop/checkout', 'a=1'],
    ['without Path: not sent to other folders', 'a=1', HOME, 'https://www.example.com/help', undefined],
    [
      'without Path, set at the root: sent to every path',
      'a=1',
      'https://www.example.com/x',
      'https://www.example.com/y/z',
      'a=1',
    ],
    ['with a Path: sent to it', 'a=1; Path=/s', HOME, 'https://www.example.com/s', 'a=1'],
    ['with a Path: sent below it', 'a=1; Path=/s', HOME, 'https://www.example.com/s/t', 'a=1'],
    [
      'with a Path: not sent to a path with only the same prefix',
      'a=1; Path=/s',
      HOME,
      'https://www.example.com/shop',
      undefined,
    ],
    ['with an invalid Path: treated as without Path', 'a=1; Path=shop', HOME, 'https://www.example.com/shop/a', 'a=1'],
    // 5.2.5: secure
    ['with Secure: sent over https', 'a=1; Secure', HOME, 'https://www.example.com/shop/', 'a=1'],
    ['with Secure: not sent over http', 'a=1; secure', HOME, 'http://www.example.com/shop/', undefined],
    // 5.2: the line
    ['with spaces around name and value: trimmed', '  a  =  1  ; Path=/', HOME, 'https://www.example.com/', 'a=1'],
    ['with an equals sign in the value: kept', 'a=b=c; Path=/', HOME, 'https://www.example.com/', 'a=b=c'],
    ['with quotes: kept', 'a="x y"; Path=/', HOME, 'https://www.example.com/', 'a="x y"'],
    ['with an empty value: sent', 'a=; Path=/', HOME, 'https://www.example.com/', 'a='],
    ['without a name: ignored', '=1; Path=/', HOME, 'https://www.example.com/', undefined],
    ['without an equals sign: ignored', 'flag; Path=/', HOME, 'https://www.example.com/', undefined],
    [
      'with unknown attributes: stored',
      'a=1; Path=/; SameSite=Lax; Partitioned; HttpOnly',
      HOME,
      'https://www.example.com/',
      'a=1',
    ],
    [
      'with a repeated attribute: the last one applies',
      'a=1; Path=/x; Path=/',
      HOME,
      'https://www.example.com/',
      'a=1',
    ],
    // 5.2.1, 5.2.2: expiry
    ['with Max-Age=0: not stored', 'a=1; Path=/; Max-Age=0', HOME, 'https://www.example.com/', undefined],
    ['with a negative Max-Age: not stored', 'a=1; Path=/; Max-Age=-1', HOME, 'https://www.example.com/', undefined],
    [
      'with a past Expires: not stored',
      'a=1; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT',
      HOME,
      'https://www.example.com/',
      undefined,
    ],
    ['with an invalid Expires: stored', 'a=1; Path=/; Expires=whenever', HOME, 'https://www.example.com/', 'a=1'],
    [
      'with Max-Age and Expires: Max-Age applies',
      'a=1; Path=/; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT',
      HOME,
      'https://www.example.com/',
      'a=1',
    ],
    ['with an empty Max-Age: stored', 'a=1; Path=/; Max-Age=', HOME, 'https://www.example.com/', 'a=1'],
    [
      'with an invalid Max-Age: Expires applies',
      'a=1; Path=/; Max-Age=soon; Expires=Thu, 01 Jan 1970 00:00:00 GMT',
      HOME,
      'https://www.example.com/',
      undefined,
    ],
  ])('handles cookies %s', (_, line, from, to, header) => {
    expect(sent(from, [line], to)).toBe(header);
  });

  it('sends longer paths first, else in the order of creation', () => {
    const lines = ['a=1; Path=/', 'b=2; Path=/shop', 'c=3; Path=/', 'd=4; Path=/shop/cart'];
    expect(sent(HOME, lines, HOME)).toBe('d=4; b=2; a=1; c=3');
  });

  it('replaces a cookie in its position, and distinguishes equal names with other paths', () => {
    const lines = ['a=1; Path=/', 'b=2; Path=/', 'a=3; Path=/', 'a=4; Path=/shop'];
    expect(sent(HOME, lines, HOME)).toBe('a=4; a=3; b=2');
  });

  it('removes a cookie that is set again as expired', () => {
    expect(sent(HOME, ['a=1; Path=/', 'b=2; Path=/', 'a=; Path=/; Max-Age=0'], HOME)).toBe('b=2');
  });

  it('stores at most 200 cookies, which can still be replaced', () => {
    const jar = new JobCookies();
    jar.store(
      HOME,
      Array.from({ length: 500 }, (_, i) => `c${i}=${i}; Path=/`),
    );
    jar.store(HOME, ['c0=changed; Path=/']);
    const header = jar.header(HOME) ?? '';
    expect(header.split('; ')).toHaveLength(200);
    expect(header).toMatch(/^c0=changed; /);
  });

  it('shares no cookies with another job', () => {
    new JobCookies().store(HOME, ['a=1; Path=/']);
    expect(new JobCookies().header(HOME)).toBeUndefined();
  });
});
