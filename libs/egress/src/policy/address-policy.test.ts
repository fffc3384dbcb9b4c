import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { describeCorpus } from '../../test/corpora.ts';
import { classifyAddress, isMetadataAddress } from './address-policy.ts';

/** Based on TestClassifyAddr of smokescreen (a3294a6c), with both edges of every range. */
const REFUSED: readonly (readonly [string, RegExp])[] = [
  ['0.0.0.0', /unspecified/],
  ['0.255.255.255', /unspecified/],
  ['10.0.0.0', /private/],
  ['10.255.255.255', /private/],
  ['100.64.0.0', /carrier-grade/],
  ['100.127.255.255', /carrier-grade/],
  ['127.0.0.1', /loopback/],
  ['127.255.255.255', /loopback/],
  ['169.254.0.1', /link-local/],
  ['172.16.0.0', /private/],
  ['172.31.255.255', /private/],
  ['192.0.0.1', /IETF/],
  ['192.0.2.9', /documentation/],
  ['192.88.99.1', /6to4/],
  ['192.168.0.0', /private/],
  ['192.168.255.255', /private/],
  ['198.18.0.0', /benchmarking/],
  ['198.19.255.255', /benchmarking/],
  ['198.51.100.7', /documentation/],
  ['203.0.113.7', /documentation/],
  ['224.0.0.1', /multicast/],
  ['239.255.255.255', /multicast/],
  ['240.0.0.1', /reserved/],
  ['255.255.255.255', /broadcast/],
  ['169.254.169.254', /metadata/],
  ['169.254.170.2', /metadata/],
  ['100.100.100.200', /metadata/],
  ['168.63.129.16', /metadata/],
  ['192.0.0.192', /metadata/],
  ['fd00:ec2::254', /metadata/],
  ['FD00:0EC2:0:0:0:0:0:254', /metadata/],
  ['::ffff:169.254.169.254', /metadata/],
  ['64:ff9b::a9fe:a9fe', /metadata/],
  ['2002:a9fe:a9fe::', /metadata/],
  ['::', /unspecified/],
  ['::1', /loopback/],
  ['0:0:0:0:0:0:0:1', /loopback/],
  ['::8.8.8.8', /IPv4-compatible/],
  ['::ffff:127.0.0.1', /loopback/],
  ['::ffff:7f00:1', /loopback/],
  ['::ffff:10.1.2.3', /private/],
  ['::ffff:0:8.8.8.8', /IPv4-translated/],
  ['64:ff9b::8.8.8.8', /NAT64/],
  ['64:ff9b::7f00:1', /NAT64/],
  ['64:ff9b:1::1', /local-use NAT64/],
  ['100::1', /discard/],
  ['2001::1', /Teredo/],
  ['2001:0:4136:e378:8000:63bf:3fff:fdd2', /Teredo/],
  ['2001:2::1', /benchmarking/],
  ['2001:10::1', /ORCHID/],
  ['2001:2f:ffff::1', /ORCHIDv2/],
  ['2001:1ff::1', /IETF/],
  ['2001:db8::1', /documentation/],
  ['2002:7f00:1::', /6to4/],
  ['2002:808:808::1', /6to4/],
  ['3fff:0fff::1', /documentation/],
  ['5f00::1', /SRv6/],
  ['fc00::1', /unique local/],
  ['fdff::1', /unique local/],
  ['fe80::1', /link-local/],
  ['fec0::1', /site-local/],
  ['ff02::1', /multicast/],
  ['4000::1', /not global unicast/],
  ['fe80::1%eth0', /scoped/],
  ['example.com', /not an IP/],
  ['127.1', /not an IP/],
  ['', /not an IP/],
];

const ALLOWED = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.1',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.31.196.1',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '168.63.129.15',
  '::ffff:8.8.8.8',
  '::ffff:808:808',
  '2606:4700::1111',
  '2001:4860:4860::8888',
  '2001:200::1',
  '2a00:1450::1',
  '2003::1',
  '3fff:1000::1',
  '2620:4f:8000::1',
];

describe('classifyAddress', () => {
  it.each(REFUSED)('refuses %s and names the rule', (ip, rule) => {
    const verdict = classifyAddress(ip);
    expect(verdict).toMatchObject({ allowed: false, reason: expect.stringMatching(rule) });
  });

  it.each(ALLOWED)('allows the public unicast address %s', (ip) => {
    expect(classifyAddress(ip)).toEqual({ allowed: true });
  });

  it('detects a metadata address in every IPv6 transition form', () => {
    for (const ip of ['::ffff:a9fe:a9fe', '::169.254.169.254', '64:ff9b::169.254.169.254', '2002:a9fe:a9fe::1']) {
      expect([ip, isMetadataAddress(ip)]).toEqual([ip, true]);
    }
    expect(isMetadataAddress('2606:4700::a9fe:a9fe')).toBe(false);
  });
});

describeCorpus('attack/ssrf-addresses.json', 'classifyAddress with the SSRF address corpus', (file) => {
  it('classifies every address as the corpus requires', () => {
    const { cases } = JSON.parse(readFileSync(file, 'utf8'));
    for (const { addr, block } of cases) expect([addr, !classifyAddress(addr).allowed]).toEqual([addr, block]);
    expect(cases.length).toBeGreaterThan(25);
  });
});
