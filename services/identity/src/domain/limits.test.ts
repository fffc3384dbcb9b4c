import { describe, expect, it } from '@jest/globals';
import { addressGroup, LIMITS, ofAddress } from './limits.ts';

describe('addressGroup', () => {
  it('is the address for IPv4, and the network of 64 bits for IPv6', () => {
    expect(addressGroup('203.0.113.9')).toBe('203.0.113.9');
    expect(addressGroup('::ffff:203.0.113.9')).toBe('203.0.113.9');
    expect(addressGroup('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64');
    expect(addressGroup('2001:db8:1:2::6')).toBe('2001:db8:1:2::/64');
    expect(addressGroup('2001:db8::1')).toBe('2001:db8:0:0::/64');
  });
});

describe('ofAddress', () => {
  it('counts nothing for loopback, which all clients of a proxy on this machine share', () => {
    for (const ip of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) expect(ofAddress(LIMITS.loginOfAddress, ip)).toEqual([]);
    expect(ofAddress(LIMITS.loginOfAddress, '203.0.113.9')).toHaveLength(1);
  });
});
