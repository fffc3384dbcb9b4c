import { isIP, isIPv6 } from 'node:net';

/**
 * The "bad port" list of https://fetch.spec.whatwg.org/#port-blocking, whose services may execute an HTTP request as a
 * command of their own protocol; plus 0, which is not a port.
 */
const BAD_PORTS: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/** Suffixes of host names of internal networks: RFC 6761, RFC 6762, RFC 8375, RFC 7686, ICANN's .internal. */
const INTERNAL_SUFFIXES = [
  'localhost',
  'localdomain',
  'local',
  'internal',
  'intranet',
  'lan',
  'home',
  'corp',
  'private',
  'svc',
  'home.arpa',
  'onion',
  'invalid',
];

/** Whether the port is an integer in 1..65535 that the fetch standard does not block. */
export function isWebPort(port: number): boolean {
  return Number.isInteger(port) && port > 0 && port <= 65_535 && !BAD_PORTS.has(port);
}

/**
 * Returns the canonical spelling of a host: lower-case ASCII without brackets or trailing dot, IPv4 in dotted form for any
 * input form (0x7f.1, 2130706433, full-width digits). Undefined for text that is not a host by the WHATWG rules.
 */
export function canonicalHost(hostname: string): string | undefined {
  const bare = hostname.startsWith('[') && hostname.endsWith(']') ? hostname.slice(1, -1) : hostname;
  if (isIPv6(bare)) return bare.includes('%') ? bare : new URL(`http://[${bare}]`).hostname.slice(1, -1);
  if (isIP(bare) === 4) return bare;
  // The URL parser treats these characters as the end of the host or as another URL component.
  if (hostname === '' || hostname.length > 512 || /[\s/\\?#@:]/.test(hostname)) return undefined;
  const parsed = URL.parse(`http://${hostname}`)?.hostname.replace(/\.+$/, '');
  // WHATWG permits !, ) and others in a host; registrable names do not contain them (RFC 1123 section 2.1, plus _).
  return parsed !== undefined && /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(parsed) ? parsed : undefined;
}

/** Returns why a canonical name is refused without a DNS query; undefined if it may be resolved. */
export function nameRefusal(name: string): string | undefined {
  if (name === 'localhost' || name.endsWith('.localhost')) return 'localhost is not a public host';
  if (!name.includes('.')) return 'a single-label name is not a public host';
  const suffix = INTERNAL_SUFFIXES.find((internal) => name === internal || name.endsWith(`.${internal}`));
  return suffix === undefined ? undefined : `names under .${suffix} are internal`;
}
