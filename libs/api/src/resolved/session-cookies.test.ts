import { describe, expect, it, test } from '@jest/globals';
import { AppError } from '@tidemark/errors';
import fc from 'fast-check';
import { toSessionCookies } from './session-cookies.ts';

const secret = 'sEcReT-4711';
const kept = {
  name: 'sid',
  value: secret,
  domain: 'example.com',
  path: '/',
  isForSubdomains: true,
  secure: true,
  httpOnly: true,
  sameSite: 'lax',
  expires: 1_893_456_000,
};

const COOKIES_TXT = [
  '# Netscape HTTP Cookie File',
  '',
  `#HttpOnly_.example.com\tTRUE\t/\tTRUE\t1893456000\tsid\t${secret}`,
  'www.example.com\tFALSE\t/a\tFALSE\t0\ttheme\t',
  '.elsewhere.example\tTRUE\t/\tFALSE\t0\tother\tx',
].join('\r\n');
const STORAGE_STATE = {
  cookies: [
    {
      name: 'sid',
      value: secret,
      domain: '.example.com',
      path: '/',
      expires: 1_893_456_000.5,
      httpOnly: true,
      secure: true,
      sameSite: 'Lax',
    },
  ],
  origins: [{ origin: 'https://example.com', localStorage: [] }],
};
const EXTENSION = [
  {
    domain: '.example.com',
    expirationDate: 1_893_456_000.7,
    hostOnly: false,
    httpOnly: true,
    name: 'sid',
    path: '/',
    sameSite: 'lax',
    secure: true,
    session: false,
    storeId: null,
    value: secret,
  },
];

describe('toSessionCookies', () => {
  test.each([
    ['a storage state', STORAGE_STATE],
    ['a storage state as text', JSON.stringify(STORAGE_STATE)],
    ['a browser extension’s export', EXTENSION],
    ['the same as text', `\ufeff ${JSON.stringify(EXTENSION)}`],
  ])('reads the cookies of %s', (_, session) => {
    expect(toSessionCookies(session, 'example.com')).toEqual([kept]);
  });

  it('reads a cookies.txt and drops cookies of other sites', () => {
    const [first, second, ...more] = toSessionCookies(COOKIES_TXT, 'https://www.example.com/account');
    expect(first).toEqual({ ...kept, sameSite: '' });
    expect(second).toMatchObject({
      name: 'theme',
      value: '',
      domain: 'www.example.com',
      path: '/a',
      isForSubdomains: false,
      expires: 0,
    });
    expect(more).toEqual([]);
  });

  it('assigns a cookie without a domain to the site, and includes subdomains only if the cookie does', () => {
    const [bare] = toSessionCookies([{ name: 'a', value: 'b' }], 'shop.example.com');
    expect(bare).toMatchObject({ domain: 'shop.example.com', isForSubdomains: false, path: '/', expires: 0 });
    const [host] = toSessionCookies([{ name: 'a', value: 'b', domain: '.example.com', hostOnly: true }], 'example.com');
    expect(host).toMatchObject({ domain: 'example.com', isForSubdomains: false });
  });

  test.each([
    [-1, 0],
    [0, 0],
    [1_893_456_000_000, 1_893_456_000],
    ['2030-01-01T00:00:00Z', 1_893_456_000],
    [1e300, 253_402_300_799],
  ])('converts the expiry %p to second %i', (expires, seconds) => {
    expect(toSessionCookies([{ name: 'a', value: 'b', expires }], 'example.com')).toMatchObject([{ expires: seconds }]);
  });
});

describe('toSessionCookies with invalid input', () => {
  test.each([
    ['cookies of another site', [{ name: 'sid', value: secret, domain: 'elsewhere.example' }], 'none of them belongs'],
    ['broken JSON', `[{"name":"sid","value":"${secret}"`, 'starts like JSON'],
    ['JSON without cookies', `{"token":"${secret}"}`, 'cookies'],
    ['plain text', secret, 'line 1'],
    ['only comments', '# nothing', 'no cookies'],
    ['a value with a line break', [{ name: 'sid', value: `${secret}\r\nx: y` }], 'cookies.0'],
    ['a value with a semicolon', [{ name: 'sid', value: `${secret};` }], 'cookies.0'],
    ['a name with a blank', [{ name: 'a b', value: secret }], 'cookies.0'],
    ['an invalid domain', [{ name: 'sid', value: secret, domain: 'exa mple/' }], 'cookies.0'],
    ['an invalid path', [{ name: 'sid', value: secret, path: 'account' }], 'cookies.0'],
    ['an invalid date', [{ name: 'sid', value: secret, expires: 'soon' }], 'cookies.0'],
    ['a wrong field in JSON text', JSON.stringify([{ name: 'sid', value: { secret } }]), 'cookies.0.value'],
  ])('rejects %s without a cookie value in the message', (_, session, names) => {
    const read = () => toSessionCookies(session, 'example.com');
    expect(read).toThrow(names);
    try {
      read();
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      expect(error).toMatchObject({ code: 'validation', httpStatus: 422 });
      expect(JSON.stringify([error.message, error.detail])).not.toContain(secret);
    }
  });

  it('throws only AppError for any text, and returns only cookies that are valid in a header', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.string().map((text) => `${text}\t`.repeat(7)),
        ),
        (text) => {
          try {
            for (const { name, value } of toSessionCookies(text, 'example.com'))
              expect(`${name}=${value}`).toMatch(/^[ -~\u0080-\u00ff]*$/);
          } catch (error) {
            if (!(error instanceof AppError)) throw error;
          }
        },
      ),
    );
  });
});
