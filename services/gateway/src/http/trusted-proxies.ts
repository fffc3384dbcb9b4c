import { BlockList, isIP } from 'node:net';

/** Names of address ranges, as in the `trust proxy` setting of Express. */
const RANGES: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** Returns whether an address is one of the proxies whose X-Forwarded headers are used. */
export type IsTrustedProxy = (address: string) => boolean;

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** Removes the IPv6 form of an IPv4 address. */
export const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '');

/**
 * Parses a comma-separated list of addresses, CIDRs and the names `loopback`, `linklocal`, `uniquelocal`.
 * @throws RangeError naming the invalid entry
 */
export function parseTrustedProxies(text: string): IsTrustedProxy {
  const list = new BlockList();
  const entries = text.split(',').map((entry) => entry.trim());
  for (const entry of entries.filter((one) => one !== '')) {
    for (const range of RANGES[entry] ?? [entry]) {
      const [address = '', prefix] = range.split('/');
      if (isIP(address) === 0 || (prefix !== undefined && !/^\d{1,3}$/.test(prefix)))
        throw new RangeError(`"${entry}" is not an address, a CIDR, loopback, linklocal or uniquelocal`);
      if (prefix === undefined) list.addAddress(address, familyOf(address));
      else list.addSubnet(address, Number(prefix), familyOf(address));
    }
  }
  return (address) => {
    const plain = plainAddress(address);
    return isIP(plain) !== 0 && list.check(plain, familyOf(plain));
  };
}

/**
 * Returns the group of addresses that one client controls: an IPv4 address, or the /64 network of an IPv6 address (RFC 6177: sites get at
 * least one).
 */
export function clientGroup(address: string): string {
  const plain = plainAddress(address);
  if (isIP(plain) !== 6) return plain;
  const [head = '', tail = ''] = (plain.split('%')[0] ?? '').split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0');
  return `${[...first, ...zeros, ...last].slice(0, 4).join(':')}::/64`;
}
