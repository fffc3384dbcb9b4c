import { BlockList, isIP } from 'node:net';
import { unmapped } from './address-policy.ts';
import { parseExitUrl } from './exit-url.ts';
import { canonicalHost } from './host-names.ts';

/** Settings of the proxy through which the network of the operator reaches the web, as every service that opens connections reads them. */
export interface OutboundProxyConfig {
  /** http://, https:// or socks5:// URL, credentials included. Empty: connections are direct. */
  readonly HTTPS_PROXY: string;
  /** Targets that are reached directly: `parseNoProxy`. */
  readonly NO_PROXY: string;
  /** Host in the requests to the proxy: the address that the guard admitted, or the name that it was resolved from. */
  readonly TIDEMARK_PROXY_TARGET: 'address' | 'name';
}

/** How to reach an admitted target through the proxy. */
export interface ProxyRoute {
  /** URL of the proxy. */
  readonly url: string;
  /** Host that the proxy connects to. */
  readonly host: string;
}

export interface ProxyTarget {
  /** Canonical host name or address. */
  readonly host: string;
  readonly port: number;
  /** The admitted address; of a target that the operator configured, which the guard does not check, its host. */
  readonly address: string;
}

/** Returns the route to an admitted target; undefined: directly. */
export type OutboundProxy = (target: ProxyTarget) => ProxyRoute | undefined;

/** Returns the proxy of a configuration; undefined without one. @throws RangeError if HTTPS_PROXY or NO_PROXY is invalid */
export function outboundProxyOf({
  HTTPS_PROXY,
  NO_PROXY,
  TIDEMARK_PROXY_TARGET,
}: OutboundProxyConfig): OutboundProxy | undefined {
  const isDirect = parseNoProxy(NO_PROXY);
  const url = HTTPS_PROXY.trim();
  if (url === '') return undefined;
  const protocol = protocolOf(url);
  if (TIDEMARK_PROXY_TARGET === 'name' && protocol === 'socks5:')
    throw new RangeError(
      'TIDEMARK_PROXY_TARGET: name requires a http:// or https:// proxy, and HTTPS_PROXY is socks5://',
    );
  return (target) => {
    if (isDirect(target)) return undefined;
    return { url, host: TIDEMARK_PROXY_TARGET === 'name' ? target.host : target.address };
  };
}

/** The message contains no part of the URL, which may hold credentials. */
function protocolOf(url: string): string {
  try {
    return parseExitUrl(url).protocol;
  } catch {
    throw new RangeError('HTTPS_PROXY is not a valid http://, https:// or socks5:// URL');
  }
}

interface Direct {
  /** Names, each with its subdomains, with an optional port. */
  readonly names: readonly { readonly name: string; readonly port: number | undefined }[];
  readonly addresses: BlockList;
}

/**
 * Parses NO_PROXY as curl and Go read it: comma-separated names, which stand for their subdomains too (`corp.example`, `.corp.example`),
 * addresses, CIDRs, each name with an optional `:port`, or `*` for all. An address or CIDR also matches a name that was resolved to it. `localhost`
 * and literal loopback addresses are always direct. @throws RangeError that names every invalid entry
 */
export function parseNoProxy(text: string): (target: ProxyTarget) => boolean {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== '');
  const addresses = new BlockList();
  const names: { name: string; port: number | undefined }[] = [{ name: 'localhost', port: undefined }];
  const invalid: string[] = [];
  for (const entry of entries.filter((each) => each !== '*')) {
    if (addAddress(addresses, entry)) continue;
    const [, host = '', port] = /^\*?\.?([^:/]+)(?::(\d{1,5}))?$/.exec(entry) ?? [];
    const name = canonicalHost(host);
    if (host === '' || name === undefined) invalid.push(entry);
    else names.push({ name, port: port === undefined ? undefined : Number(port) });
  }
  if (invalid.length > 0)
    throw new RangeError(
      `NO_PROXY: ${invalid.map((entry) => `"${entry}"`).join(', ')}: expected names, addresses or CIDRs`,
    );
  if (entries.includes('*')) return () => true;
  return (target) => matches({ names, addresses }, target);
}

function matches({ names, addresses }: Direct, { host, port, address }: ProxyTarget): boolean {
  if (host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))) return true;
  const plain = unmapped(address);
  const family = isIP(plain);
  if (family !== 0 && addresses.check(plain, family === 6 ? 'ipv6' : 'ipv4')) return true;
  return names.some((entry) => {
    const isSame = host === entry.name || host.endsWith(`.${entry.name}`);
    return isSame && (entry.port === undefined || entry.port === port);
  });
}

/** Adds an address or a CIDR. @returns whether the entry is one */
function addAddress(addresses: BlockList, entry: string): boolean {
  const [, address = '', prefix] = /^\[?([^[\]/]+)\]?(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
  const family = isIP(address);
  if (family === 0 || address.includes('%')) return false;
  const longest = family === 4 ? 32 : 128;
  const length = prefix === undefined ? longest : Number(prefix);
  if (length > longest) return false;
  addresses.addSubnet(address, length, family === 4 ? 'ipv4' : 'ipv6');
  return true;
}
