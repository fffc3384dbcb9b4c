import { describe, expect, it } from '@jest/globals';
import { outboundProxyOf, parseNoProxy } from './outbound-proxy.ts';

const PROXY = {
  HTTPS_PROXY: 'http://proxy.corp.example:3128',
  NO_PROXY: '',
  TIDEMARK_PROXY_TARGET: 'address',
} as const;
const target = (host: string, address = '93.184.216.34', port = 443) => ({ host, port, address });

describe('NO_PROXY', () => {
  it.each([
    ['corp.example', target('corp.example'), true],
    ['corp.example', target('wiki.corp.example'), true],
    ['.corp.example', target('wiki.corp.example'), true],
    ['*.corp.example', target('wiki.corp.example'), true],
    ['corp.example', target('notcorp.example'), false],
    ['CORP.example', target('wiki.corp.example'), true],
    ['corp.example:8443', target('wiki.corp.example'), false],
    ['corp.example:443', target('wiki.corp.example'), true],
    ['10.0.0.0/8', target('10.1.2.3', '10.1.2.3'), true],
    ['10.0.0.0/8', target('db.example', '10.1.2.3'), true],
    ['10.0.0.0/8', target('db.example', '11.1.2.3'), false],
    ['fd00::/8', target('db.example', 'fd12::1'), true],
    ['10.1.2.3', target('db.example', '10.1.2.3'), true],
    ['a.example, b.example c.example', target('c.example'), true],
    ['*', target('a.example'), true],
    ['', target('localhost', '127.0.0.1'), true],
    ['', target('127.0.0.5', '127.0.0.5'), true],
    ['', target('::1', '::1'), true],
    ['', target('a.example'), false],
  ])('"%s" lets %j be reached directly: %s', (text, to, expected) => {
    expect(parseNoProxy(text)(to)).toBe(expected);
  });

  it('names its invalid entries', () => {
    expect(() => parseNoProxy('a.example, 10.0.0.0/99, http://b.example')).toThrow(
      'NO_PROXY: "10.0.0.0/99", "http://b.example": expected names, addresses or CIDRs',
    );
  });
});

describe('outboundProxyOf', () => {
  it('returns no proxy without HTTPS_PROXY', () => {
    expect(outboundProxyOf({ ...PROXY, HTTPS_PROXY: ' ' })).toBeUndefined();
  });

  it('routes a target by the admitted address, or by its name where that is configured', () => {
    const to = target('a.example');
    expect(outboundProxyOf(PROXY)?.(to)).toEqual({ url: PROXY.HTTPS_PROXY, host: '93.184.216.34' });
    const byName = outboundProxyOf({ ...PROXY, TIDEMARK_PROXY_TARGET: 'name' });
    expect(byName?.(to)).toEqual({ url: PROXY.HTTPS_PROXY, host: 'a.example' });
  });

  it('refuses an invalid URL without repeating it, and names over SOCKS', () => {
    for (const HTTPS_PROXY of ['proxy:secret', 'ftp://user:secret@proxy.example'])
      expect(() => outboundProxyOf({ ...PROXY, HTTPS_PROXY })).toThrow(/^HTTPS_PROXY is not a valid [^s]*(?!.*secret)/);
    const socks = { ...PROXY, HTTPS_PROXY: 'socks5://proxy.example', TIDEMARK_PROXY_TARGET: 'name' } as const;
    expect(() => outboundProxyOf(socks)).toThrow(/TIDEMARK_PROXY_TARGET: name requires/);
  });
});
