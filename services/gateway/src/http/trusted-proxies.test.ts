import { describe, expect, it } from '@jest/globals';
import { clientGroup, parseTrustedProxies } from './trusted-proxies.ts';

describe('parseTrustedProxies', () => {
  it.each([
    ['', '127.0.0.1', false],
    ['', '10.0.0.1', false],
    ['loopback', '127.0.0.9', true],
    ['loopback', '::1', true],
    ['uniquelocal', '::ffff:10.1.2.3', true],
    ['uniquelocal', '203.0.113.1', false],
    ['203.0.113.0/24, 2001:db8::/32', '203.0.113.77', true],
    ['203.0.113.0/24, 2001:db8::/32', '2001:db8::1', true],
    ['203.0.113.5', '203.0.113.6', false],
    ['loopback', 'unknown', false],
  ])('of "%s" trusts %s: %s', (text, address, expected) => {
    expect(parseTrustedProxies(text)(address)).toBe(expected);
  });

  it.each(['everything', '10.0.0.0/x', '10.0.0.0/99', '*'])('rejects "%s"', (text) => {
    expect(() => parseTrustedProxies(text)).toThrow();
  });
});

describe('clientGroup', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:ffff::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['', ''],
  ])('of %s is %s', (address, expected) => {
    expect(clientGroup(address)).toBe(expected);
  });
});
