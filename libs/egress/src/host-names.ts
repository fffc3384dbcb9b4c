import { isIP, isIPv6 } from 'node:net';

/**
 * Ports a web client never talks to, because another protocol answers there and may obey a request that looks like
 * it: the "bad port" list of https://fetch.spec.whatwg.org/#port-blocking, plus 0, which is no port.
 */
const BAD_PORTS: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/** Last labels that name hosts of an internal network: RFC 6761, RFC 6762, RFC 8375, RFC 7686, ICANN's .internal. */
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

/** Whether the port is a whole number in 0..65535 that no rule of the fetch standard blocks. */
export function isGoodPort(port: number): boolean {
  return Number.isInteger(port) && port > 0 && port <= 65_535 && !BAD_PORTS.has(port);
}

/**
 * One spelling per host: lower-case ASCII without brackets or trailing dot, IPv4 in dotted form whatever the input
 * (0x7f.1, 2130706433, full-width digits). Returns undefined when the text is no host by the WHATWG rules.
 */
export function canonicalHost(hostname: string): string | undefined {
  const bare = hostname.startsWith('[') && hostname.endsWith(']') ? hostname.slice(1, -1) : hostname;
  if (isIPv6(bare)) return bare.includes('%') ? bare : new URL(`http://[${bare}]`).hostname.slice(1, -1);
  if (isIP(bare) === 4) return bare;
  // The parser would take these as the end of the host or as another part of the address.
  if (hostname === '' || hostname.length > 512 || /[\s/\\?#@:]/.test(hostname)) return undefined;
  const parsed = URL.parse(`http://${hostname}`)?.hostname.replace(/\.+$/, '');
  // WHATWG lets !, ) and the like stand in a host; no registrable name holds them (RFC 1123 section 2.1, plus _).
  return parsed !== undefined && /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(parsed) ? parsed : undefined;
}

/** Why a canonical name is refused before any DNS question, or undefined when the DNS may be asked. */
export function problemInName(name: string): string | undefined {
  if (name === 'localhost' || name.endsWith('.localhost')) return 'localhost is not a public host';
  if (!name.includes('.')) return 'a single-label name is not a public host';
  const suffix = INTERNAL_SUFFIXES.find((internal) => name === internal || name.endsWith(`.${internal}`));
  return suffix === undefined ? undefined : `names under .${suffix} are internal`;
}
