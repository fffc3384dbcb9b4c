import { BlockList, isIP } from 'node:net';

/** Whether connections to an address are allowed; `reason` names the rule that refuses it. */
export type AddressVerdict = { readonly allowed: true } | { readonly allowed: false; readonly reason: string };

type Range = readonly [network: string, prefix: number, reason: string];

/**
 * IANA IPv4 Special-Purpose Address Registry (RFC 6890) and multicast registry (RFC 5771). 192.31.196.0/24,
 * 192.52.193.0/24 and 192.175.48.0/24 are globally reachable by the registry and therefore not listed.
 */
const IPV4_RANGES: readonly Range[] = [
  ['0.0.0.0', 8, 'unspecified or "this network" address (RFC 1122)'],
  ['10.0.0.0', 8, 'private address (RFC 1918)'],
  ['100.64.0.0', 10, 'carrier-grade NAT address (RFC 6598)'],
  ['127.0.0.0', 8, 'loopback address (RFC 1122)'],
  ['169.254.0.0', 16, 'link-local address (RFC 3927)'],
  ['172.16.0.0', 12, 'private address (RFC 1918)'],
  ['192.0.0.0', 24, 'IETF protocol assignment (RFC 6890)'],
  ['192.0.2.0', 24, 'documentation address (RFC 5737)'],
  ['192.88.99.0', 24, '6to4 relay anycast address (RFC 7526)'],
  ['192.168.0.0', 16, 'private address (RFC 1918)'],
  ['198.18.0.0', 15, 'benchmarking address (RFC 2544)'],
  ['198.51.100.0', 24, 'documentation address (RFC 5737)'],
  ['203.0.113.0', 24, 'documentation address (RFC 5737)'],
  ['224.0.0.0', 4, 'multicast address (RFC 5771)'],
  ['255.255.255.255', 32, 'broadcast address (RFC 919)'],
  ['240.0.0.0', 4, 'reserved address (RFC 1112)'],
];

/**
 * IANA IPv6 Special-Purpose Address Registry. The first match names the rule. Addresses outside 2000::/3, the only block
 * that IANA has released as global unicast (RFC 4291), are refused even if no line matches.
 */
const IPV6_RANGES: readonly Range[] = [
  ['::', 128, 'unspecified address (RFC 4291)'],
  ['::1', 128, 'loopback address (RFC 4291)'],
  ['::', 96, 'IPv4-compatible address (RFC 4291)'],
  ['::ffff:0:0:0', 96, 'IPv4-translated address (RFC 7915)'],
  ['64:ff9b::', 96, 'NAT64 address (RFC 6052)'],
  ['64:ff9b:1::', 48, 'local-use NAT64 address (RFC 8215)'],
  ['100::', 64, 'discard-only address (RFC 6666)'],
  ['100:0:0:1::', 64, 'dummy prefix (RFC 9780)'],
  ['2001::', 32, 'Teredo address (RFC 4380)'],
  ['2001:2::', 48, 'benchmarking address (RFC 5180)'],
  ['2001:10::', 28, 'ORCHID address (RFC 4843)'],
  ['2001:20::', 28, 'ORCHIDv2 address (RFC 7343)'],
  ['2001::', 23, 'IETF protocol assignment (RFC 2928)'],
  ['2001:db8::', 32, 'documentation address (RFC 3849)'],
  ['2002::', 16, '6to4 address (RFC 3056)'],
  ['3fff::', 20, 'documentation address (RFC 9637)'],
  ['5f00::', 16, 'segment routing (SRv6) identifier (RFC 9602)'],
  ['fc00::', 7, 'unique local address (RFC 4193)'],
  ['fe80::', 10, 'link-local address (RFC 4291)'],
  ['fec0::', 10, 'site-local address (RFC 3879)'],
  ['ff00::', 8, 'multicast address (RFC 4291)'],
];

/**
 * Metadata services, which return cloud credentials: AWS, GCP and most others, ECS and EKS tasks, Oracle, Alibaba, Azure's
 * wire server, and the IPv6 forms of EC2, EKS and GCP. The allow-list cannot allow these.
 */
const METADATA_IPV4 = ['169.254.169.254', '169.254.170.2', '169.254.170.23', '192.0.0.192', '100.100.100.200'];
const METADATA_IPV6 = ['fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254'];
const AZURE_WIRE_SERVER = '168.63.129.16';
const METADATA_REASON = 'cloud metadata address';

const refusedIPv4 = IPV4_RANGES.map((range) => compile(range, 'ipv4'));
const refusedIPv6 = IPV6_RANGES.map((range) => compile(range, 'ipv6'));
const metadata = new BlockList();
for (const address of [...METADATA_IPV4, AZURE_WIRE_SERVER]) metadata.addAddress(address, 'ipv4');
for (const address of METADATA_IPV6) metadata.addAddress(address, 'ipv6');

function compile([network, prefix, reason]: Range, family: 'ipv4' | 'ipv6'): { block: BlockList; reason: string } {
  const block = new BlockList();
  block.addSubnet(network, prefix, family);
  return { block, reason };
}

/** Classifies one textual address (no brackets). Allows public unicast only; never throws. */
export function classifyAddress(ip: string): AddressVerdict {
  const family = isIP(ip);
  if (family === 0) return refuse('not an IP address');
  if (ip.includes('%')) return refuse('scoped address (RFC 4007)');
  if (isMetadataAddress(ip)) return refuse(METADATA_REASON);
  const address = unmapped(ip);
  if (isIP(address) === 4) return verdictFrom(refusedIPv4.find(({ block }) => block.check(address, 'ipv4')));
  const named = refusedIPv6.find(({ block }) => block.check(address, 'ipv6'));
  if (named !== undefined) return refuse(named.reason);
  return (hextets(address)[0] ?? 0) >> 13 === 1 ? { allowed: true } : refuse('not global unicast (RFC 4291)');
}

/** Whether the address, or the IPv4 address embedded in an IPv6 transition form, is a cloud metadata service. */
export function isMetadataAddress(ip: string): boolean {
  const family = isIP(ip);
  if (family === 0) return false;
  if (family === 4) return metadata.check(ip, 'ipv4');
  const bare = ip.split('%', 1)[0] ?? ip;
  return metadata.check(bare, 'ipv6') || embeddedIPv4(hextets(bare)).some((v4) => metadata.check(v4, 'ipv4'));
}

/** Returns the IPv4 address of an IPv4-mapped one (::ffff:a.b.c.d, RFC 4291 section 2.5.5.2); other addresses unchanged. */
export function unmapped(ip: string): string {
  if (isIP(ip) !== 6 || ip.includes('%')) return ip;
  const words = hextets(ip);
  const isMapped = words.slice(0, 5).every((word) => word === 0) && words[5] === 0xffff;
  return isMapped ? dotted(words[6], words[7]) : ip;
}

function refuse(reason: string): AddressVerdict {
  return { allowed: false, reason };
}

function verdictFrom(range: { reason: string } | undefined): AddressVerdict {
  return range === undefined ? { allowed: true } : refuse(range.reason);
}

/** Returns the IPv4 addresses embedded in mapped, compatible, NAT64 (last 32 bits) and 6to4 (bits 16 to 47) forms. */
function embeddedIPv4(words: readonly number[]): string[] {
  const found = [dotted(words[6], words[7])];
  if (words[0] === 0x2002) found.push(dotted(words[1], words[2]));
  return words[0] === 0 || words[0] === 0x64 || words[0] === 0x2002 ? found : [];
}

function dotted(high = 0, low = 0): string {
  return `${high >> 8}.${high & 0xff}.${low >> 8}.${low & 0xff}`;
}

/** Returns the eight 16-bit words of an IPv6 address. The URL serialiser normalises every spelling, dotted tails included. */
function hextets(ip: string): number[] {
  const compact = new URL(`http://[${ip}]`).hostname.slice(1, -1);
  const [head = '', tail] = compact.split('::');
  const before = words(head);
  if (tail === undefined) return before;
  const after = words(tail);
  return [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after];
}

function words(text: string): number[] {
  return text === '' ? [] : text.split(':').map((word) => Number.parseInt(word, 16));
}
