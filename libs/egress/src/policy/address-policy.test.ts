import { describe, expect, it } from '@jest/globals';
import { ADDRESS_RANGES, PUBLIC_ADDRESSES } from '@tidemark/testkit/cases/internal-addresses';
import { classifyAddress, isMetadataAddress } from './address-policy.ts';

const REFUSED = ADDRESS_RANGES.flatMap(({ range, source, reason, refused }) =>
  refused.map((ip) => [ip, `${range} (${source})`, reason] as const),
);

describe('classifyAddress', () => {
  it.each(REFUSED)('refuses %s of %s and names the rule', (ip, _range, reason) => {
    expect(classifyAddress(ip)).toMatchObject({ allowed: false, reason: expect.stringMatching(reason) });
  });

  it.each(PUBLIC_ADDRESSES)('allows the public unicast address %s', (ip) => {
    expect(classifyAddress(ip)).toEqual({ allowed: true });
  });

  it.each(['example.com', '127.1', '0x7f.0.0.1', '::g', '1:2:3', ''])('refuses %j, which is no IP address', (text) => {
    expect(classifyAddress(text)).toMatchObject({ allowed: false, reason: expect.stringMatching(/not an IP/) });
  });

  it('detects a metadata address in every IPv6 transition form', () => {
    for (const ip of ['::ffff:a9fe:a9fe', '::169.254.169.254', '64:ff9b::169.254.169.254', '2002:a9fe:a9fe::1']) {
      expect([ip, isMetadataAddress(ip)]).toEqual([ip, true]);
    }
    expect(isMetadataAddress('2606:4700::a9fe:a9fe')).toBe(false);
  });
});
