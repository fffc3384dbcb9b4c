import { BlockList, isIP } from 'node:net';
import { isMetadataAddress, unmapped } from './address-policy.ts';
import { canonicalHost } from './host-names.ts';

/** Destinations the operator allows in addition to the public web. Cloud metadata addresses can never be allowed. */
export interface AllowList {
  /** Whether an entry allows this canonical host on this port; it may then resolve to any address except metadata. */
  allowsName(name: string, port: number): boolean;
  /** Whether an entry allows this address, or a network that contains it, on this port. */
  allowsAddress(ip: string, port: number): boolean;
  /** Whether an entry names exactly this host and port. Required for ports that the fetch standard blocks. */
  allowsPort(host: string, port: number): boolean;
}

interface Entries {
  readonly hosts: Set<string>;
  readonly hostPorts: Set<string>;
  readonly networks: BlockList;
}

/**
 * Parses TIDEMARK_EGRESS_ALLOW: comma-separated host, host:port, address, address:port, [v6]:port or CIDR. Blank text allows
 * nothing. @throws RangeError that names every invalid entry
 */
export function parseAllowList(text: string): AllowList {
  const entries: Entries = { hosts: new Set(), hostPorts: new Set(), networks: new BlockList() };
  const problems: string[] = [];
  for (const entry of text.split(',').map((part) => part.trim())) {
    const problem = entry === '' ? undefined : addEntry(entries, entry);
    if (problem !== undefined) problems.push(`"${entry}" ${problem}`);
  }
  if (problems.length > 0) throw new RangeError(`TIDEMARK_EGRESS_ALLOW: ${problems.join('; ')}`);
  return allowListOf(entries);
}

function allowListOf({ hosts, hostPorts, networks }: Entries): AllowList {
  const allows = (host: string, port: number) => hosts.has(host) || hostPorts.has(`${host} ${port}`);
  return {
    allowsName: (name, port) => isIP(name) === 0 && allows(name, port),
    allowsAddress(ip, port) {
      const address = unmapped(ip);
      const family = isIP(address);
      if (family === 0 || address.includes('%')) return false;
      return allows(canonicalHost(address) ?? address, port) || networks.check(address, family === 4 ? 'ipv4' : 'ipv6');
    },
    allowsPort: (host, port) => hostPorts.has(`${unmapped(host)} ${port}`),
  };
}

/** Adds one entry. @returns the problem with an invalid entry, else undefined */
function addEntry(entries: Entries, entry: string): string | undefined {
  if (entry.includes('/')) return addNetwork(entries.networks, entry);
  const { host: rawHost, port: rawPort } = splitPort(entry);
  const port = rawPort === undefined ? undefined : Number(rawPort);
  if (port !== undefined && !(/^\d{1,5}$/.test(rawPort ?? '') && port >= 1 && port <= 65_535)) {
    return 'has a port outside 1..65535';
  }
  const host = canonicalHost(rawHost);
  if (host === undefined || host.includes('%')) {
    return 'is not a host name, an address or a CIDR';
  }
  if (isIP(host) !== 0 && isIP(rawHost.replace(/^\[|\]$/g, '')) === 0) return `is a non-canonical spelling of ${host}`;
  if (isMetadataAddress(host)) return 'is a cloud metadata address, which cannot be allowed';
  const key = unmapped(host);
  if (port === undefined) entries.hosts.add(key);
  else entries.hostPorts.add(`${key} ${port}`);
  return undefined;
}

function addNetwork(networks: BlockList, entry: string): string | undefined {
  const match = /^([^/]+)\/(\d{1,3})$/.exec(entry);
  const address = match?.[1] ?? '';
  const prefix = Number(match?.[2]);
  const family = isIP(address);
  if (family === 0 || address.includes('%')) return 'is not a CIDR';
  const longest = family === 4 ? 32 : 128;
  if (!(prefix <= longest)) return `has a prefix outside 0..${longest}`;
  networks.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6');
  return undefined;
}

/** Splits `host:port`, `[v6]:port` and their portless forms; a bare IPv6 address has no port. */
function splitPort(entry: string): { host: string; port: string | undefined } {
  if (isIP(entry) !== 0) return { host: entry, port: undefined };
  const match = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(entry);
  return { host: match?.[1] ?? entry, port: match?.[2] };
}
