import { describe, expect, it } from '@jest/globals';
import { JobCookies } from './cookie-jar.ts';

/** What a jar that was given these lines by `from` sends to `to`. */
function sent(from: string, lines: readonly string[], to: string): string | undefined {
  const jar = new JobCookies();
  jar.store(from, lines);
  return jar.header(to);
}
const HOME = 'https://www.example.com/shop/cart';

describe('the cookies of a job (RFC 6265)', () => {
  it.each([
    // 5.1.3, 5.3 step 6: domains
    ['without Domain go back to the very host', 'a=1', HOME, 'https://www.example.com/shop/', 'a=1'],
    ['without Domain go to no subdomain', 'a=1', HOME, 'https://eu.www.example.com/shop/', undefined],
    ['without Domain go to no parent', 'a=1', HOME, 'https://example.com/shop/', undefined],
    [
      'with a parent’s Domain go to its other hosts',
      'a=1; Domain=example.com',
      HOME,
      'https://eu.example.com/shop/',
      'a=1',
    ],
    [
      'with a Domain’s leading dot are read without it',
      'a=1; Domain=.example.com',
      HOME,
      'https://example.com/shop/',
      'a=1',
    ],
    [
      'with a Domain in capitals are read in small',
      'a=1; DOMAIN=EXAMPLE.com',
      HOME,
      'https://example.com/shop/',
      'a=1',
    ],
    ['with an empty Domain are as without', 'a=1; Domain=', HOME, 'https://eu.www.example.com/shop/', undefined],
    ['for another’s Domain are refused', 'a=1; Domain=example.org', HOME, 'https://example.org/shop/', undefined],
    ['for a lookalike’s Domain are refused', 'a=1; Domain=ple.com', HOME, 'https://ple.com/shop/', undefined],
    ['for a bare top level are refused', 'a=1; Domain=com', HOME, 'https://example.com/shop/', undefined],
    ['of an address’s tail are refused', 'a=1; Domain=0.0.2', 'http://127.0.0.2/', 'http://9.0.0.2/', undefined],
    ['of an address go back to it', 'a=1; Domain=127.0.0.2', 'http://127.0.0.2/', 'http://127.0.0.2/', 'a=1'],
    // 5.1.4: paths
    ['without Path go to their own folder', 'a=1', HOME, 'https://www.example.com/shop/checkout', 'a=1'],
    ['without Path go to no other folder', 'a=1', HOME, 'https://www.example.com/help', undefined],
    [
      'without Path, set at the top, go everywhere',
      'a=1',
      'https://www.example.com/x',
      'https://www.example.com/y/z',
      'a=1',
    ],
    ['with a Path go to it', 'a=1; Path=/s', HOME, 'https://www.example.com/s', 'a=1'],
    ['with a Path go below it', 'a=1; Path=/s', HOME, 'https://www.example.com/s/t', 'a=1'],
    ['with a Path go to none that only begins alike', 'a=1; Path=/s', HOME, 'https://www.example.com/shop', undefined],
    ['with a Path that is none are as without', 'a=1; Path=shop', HOME, 'https://www.example.com/shop/a', 'a=1'],
    // 5.2.5: secure
    ['that are Secure go over https', 'a=1; Secure', HOME, 'https://www.example.com/shop/', 'a=1'],
    ['that are Secure never go over http', 'a=1; secure', HOME, 'http://www.example.com/shop/', undefined],
    // 5.2: the line
    ['have blanks around name and value taken off', '  a  =  1  ; Path=/', HOME, 'https://www.example.com/', 'a=1'],
    ['keep an equals sign in the value', 'a=b=c; Path=/', HOME, 'https://www.example.com/', 'a=b=c'],
    ['keep quotes', 'a="x y"; Path=/', HOME, 'https://www.example.com/', 'a="x y"'],
    ['may be empty', 'a=; Path=/', HOME, 'https://www.example.com/', 'a='],
    ['without a name are ignored', '=1; Path=/', HOME, 'https://www.example.com/', undefined],
    ['without an equals sign are ignored', 'flag; Path=/', HOME, 'https://www.example.com/', undefined],
    [
      'with unknown attributes are kept',
      'a=1; Path=/; SameSite=Lax; Partitioned; HttpOnly',
      HOME,
      'https://www.example.com/',
      'a=1',
    ],
    ['take the last of an attribute given twice', 'a=1; Path=/x; Path=/', HOME, 'https://www.example.com/', 'a=1'],
    // 5.2.1, 5.2.2: expiry
    ['with Max-Age=0 are not kept', 'a=1; Path=/; Max-Age=0', HOME, 'https://www.example.com/', undefined],
    ['with a negative Max-Age are not kept', 'a=1; Path=/; Max-Age=-1', HOME, 'https://www.example.com/', undefined],
    [
      'with an Expires that is past are not kept',
      'a=1; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT',
      HOME,
      'https://www.example.com/',
      undefined,
    ],
    [
      'with an Expires that is no date are kept',
      'a=1; Path=/; Expires=whenever',
      HOME,
      'https://www.example.com/',
      'a=1',
    ],
    [
      'go by Max-Age where both are given',
      'a=1; Path=/; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT',
      HOME,
      'https://www.example.com/',
      'a=1',
    ],
    ['with an empty Max-Age are kept', 'a=1; Path=/; Max-Age=', HOME, 'https://www.example.com/', 'a=1'],
    [
      'with a Max-Age that is no number go by Expires',
      'a=1; Path=/; Max-Age=soon; Expires=Thu, 01 Jan 1970 00:00:00 GMT',
      HOME,
      'https://www.example.com/',
      undefined,
    ],
  ])('%s', (_, line, from, to, header) => {
    expect(sent(from, [line], to)).toBe(header);
  });

  it('are sent longer paths first, else in the order they were set', () => {
    const lines = ['a=1; Path=/', 'b=2; Path=/shop', 'c=3; Path=/', 'd=4; Path=/shop/cart'];
    expect(sent(HOME, lines, HOME)).toBe('d=4; b=2; a=1; c=3');
  });

  it('set again replace the old one in its place; the same name elsewhere is another cookie', () => {
    const lines = ['a=1; Path=/', 'b=2; Path=/', 'a=3; Path=/', 'a=4; Path=/shop'];
    expect(sent(HOME, lines, HOME)).toBe('a=4; a=3; b=2');
  });

  it('are taken away by setting them expired', () => {
    expect(sent(HOME, ['a=1; Path=/', 'b=2; Path=/', 'a=; Path=/; Max-Age=0'], HOME)).toBe('b=2');
  });

  it('are 200 at most, however many a site sets; those there can still be changed', () => {
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

  it('never reach another job', () => {
    new JobCookies().store(HOME, ['a=1; Path=/']);
    expect(new JobCookies().header(HOME)).toBeUndefined();
  });
});
