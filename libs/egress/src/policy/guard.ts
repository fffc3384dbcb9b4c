import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { EgressRefused } from '../errors/errors.ts';
import { classifyAddress, isMetadataAddress, unmapped } from './address-policy.ts';
import type { AllowList } from './allow-list.ts';
import { canonicalHost, isWebPort, nameRefusal } from './host-names.ts';
import type { OutboundProxy, ProxyRoute } from './outbound-proxy.ts';
import { cachedResolve, type Resolve, type ResolvedAddress, systemResolve } from './resolver.ts';

/** The one address that a caller may connect to. */
export interface AdmittedAddress extends ResolvedAddress {
  /** Through which proxy of the operator; absent: directly. */
  readonly proxy?: ProxyRoute | undefined;
}

/** Decides whether an outgoing connection is allowed. Every connection to a user-supplied address passes it. */
export interface EgressGuard {
  /**
   * Resolves a host and returns the one address the caller must connect to, through the proxy that the result names. Throws EgressRefused if the name, the port or
   * any of the addresses is neither public nor allow-listed; FetchFailed 'dns' if the name has no address. `alsoPorts` are allowed
   * beside those of web servers.
   */
  admit(hostname: string, port: number, alsoPorts?: readonly number[]): Promise<AdmittedAddress>;
}

export interface GuardOptions {
  readonly allow: AllowList;
  /** Default: getaddrinfo of the system. */
  readonly resolve?: Resolve;
  /**
   * Ports on which the fleet and its servers listen. Refused even if allow-listed: always at addresses of this machine, and at other
   * non-public addresses (other machines of the fleet) unless an entry of the allow-list names that host and port.
   */
  readonly ownPorts?: readonly number[];
  /** Monotonic clock, ms; default `performance.now`. */
  readonly now?: () => number;
  /** The proxy through which admitted targets are reached; default: none. */
  readonly proxy?: OutboundProxy | undefined;
}

interface Target {
  readonly host: string;
  readonly port: number;
}

/** Creates a guard. One per process is enough; it holds no sockets. */
export function createGuard(options: GuardOptions): EgressGuard {
  const { allow } = options;
  const resolve = cachedResolve(options.resolve ?? systemResolve, options.now ?? (() => performance.now()));
  const ownPorts = new Set(options.ownPorts);

  function checkAddress(address: string, { host, port }: Target, isAllowedByName: boolean): void {
    if (isMetadataAddress(address)) throw new EgressRefused('cloud metadata address');
    const verdict = classifyAddress(address);
    // First, so that the reason does not show which ports of a refused address are the fleet's.
    if (!verdict.allowed && !isAllowedByName && !allow.allowsAddress(address, port))
      throw new EgressRefused(verdict.reason);
    if (!ownPorts.has(port)) return;
    const isFleets = !verdict.allowed && !allow.allowsPort(host, port);
    if (isFleets || isOwnAddress(address)) throw new EgressRefused('an address of this service itself');
  }

  async function admit(hostname: string, port: number, alsoPorts: readonly number[] = []): Promise<AdmittedAddress> {
    const host = canonicalHost(hostname);
    if (host === undefined) throw new EgressRefused('not a valid host name');
    if (!isWebPort(port) && !alsoPorts.includes(port) && !allow.allowsPort(host, port))
      throw new EgressRefused('port not used by web servers');
    if (isIP(host) !== 0) {
      checkAddress(host, { host, port }, false);
      return pinned(host, { host, port });
    }
    const isAllowedByName = allow.allowsName(host, port);
    const problem = isAllowedByName ? undefined : nameRefusal(host);
    if (problem !== undefined) throw new EgressRefused(problem);
    const answers = await resolve(host);
    // One refused address refuses the name: a record that mixes public and private addresses is a rebinding attempt (threat S2).
    for (const { address } of answers) checkAddress(address, { host, port }, isAllowedByName);
    const [first] = answers;
    if (first === undefined) throw new EgressRefused('the name has no address');
    return pinned(first.address, { host, port });
  }

  function pinned(ip: string, { host, port }: Target): AdmittedAddress {
    const address = unmapped(ip);
    return { address, family: isIP(address) === 6 ? 6 : 4, proxy: options.proxy?.({ host, port, address }) };
  }

  return { admit };
}

function isOwnAddress(ip: string): boolean {
  const address = unmapped(ip);
  // 127.0.0.0/8 and the unspecified addresses all reach this machine.
  if (address.startsWith('127.') || address === '::1' || address === '::' || address === '0.0.0.0') return true;
  const canonical = canonicalHost(address);
  return Object.values(networkInterfaces()).some((list) =>
    list?.some((own) => canonicalHost(own.address.split('%', 1)[0] ?? '') === canonical),
  );
}
