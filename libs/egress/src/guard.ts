import { isIP, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import { classifyAddress, isMetadataAddress, unmapped } from './address-policy.ts';
import type { AllowList } from './allow-list.ts';
import { asError, EgressRefused } from './errors.ts';
import { canonicalHost, isGoodPort, problemInName } from './host-names.ts';
import { cachedResolve, type Resolve, type ResolvedAddress, systemResolve } from './resolver.ts';

/** The one decision every outgoing connection passes. */
export interface EgressGuard {
  /**
   * Resolves a host and returns the one address the caller must connect to. Throws EgressRefused when the name, the
   * port or any of the addresses is not public and not allow-listed; FetchFailed 'dns' when the name has no address.
   */
  admit(hostname: string, port: number): Promise<ResolvedAddress>;
  /**
   * A `lookup` option for node sockets to that port; answers with the admitted address only. Sockets skip `lookup`
   * for a literal address, so whoever uses this calls `admit` first.
   */
  lookupFor(port: number): LookupFunction;
}

export interface GuardOptions {
  readonly allow: AllowList;
  /** Default: getaddrinfo of the system. */
  readonly resolve?: Resolve;
  /** Ports this process or fleet serves on; never dialled at an address of this machine, allow-listed or not. */
  readonly ownPorts?: readonly number[];
  /** Milliseconds from any fixed point; default `performance.now`. */
  readonly now?: () => number;
}

/** Makes the guard; one per process is enough, and it holds no sockets. */
export function createGuard(options: GuardOptions): EgressGuard {
  const { allow } = options;
  const resolve = cachedResolve(options.resolve ?? systemResolve, options.now ?? (() => performance.now()));
  const ownPorts = new Set(options.ownPorts);

  function judge(address: string, port: number, isOpenByName: boolean): void {
    if (isMetadataAddress(address)) throw new EgressRefused('cloud metadata address');
    if (ownPorts.has(port) && isOwnAddress(address)) throw new EgressRefused('an address of this service itself');
    if (isOpenByName || allow.opensAddress(address, port)) return;
    const verdict = classifyAddress(address);
    if (!verdict.allowed) throw new EgressRefused(verdict.reason);
  }

  async function admit(hostname: string, port: number): Promise<ResolvedAddress> {
    const host = canonicalHost(hostname);
    if (host === undefined) throw new EgressRefused('not a valid host name');
    if (!isGoodPort(port) && !allow.opensPort(host, port)) throw new EgressRefused('port not used by web servers');
    if (isIP(host) !== 0) {
      judge(host, port, false);
      return pinned(host);
    }
    const isOpenByName = allow.opensName(host, port);
    const problem = isOpenByName ? undefined : problemInName(host);
    if (problem !== undefined) throw new EgressRefused(problem);
    const answers = await resolve(host);
    // Any bad address refuses the name: a record mixing public and private ones is a rebinding attempt (threat S2).
    for (const { address } of answers) judge(address, port, isOpenByName);
    const [first] = answers;
    if (first === undefined) throw new EgressRefused('the name has no address');
    return pinned(first.address);
  }

  return { admit, lookupFor: (port) => makeLookup(admit, port) };
}

function pinned(ip: string): ResolvedAddress {
  const address = unmapped(ip);
  return { address, family: isIP(address) === 6 ? 6 : 4 };
}

function isOwnAddress(ip: string): boolean {
  const address = unmapped(ip);
  // All of 127.0.0.0/8 and the unspecified addresses reach this machine.
  if (address.startsWith('127.') || address === '::1' || address === '::' || address === '0.0.0.0') return true;
  const canonical = canonicalHost(address);
  return Object.values(networkInterfaces()).some((list) =>
    list?.some((own) => canonicalHost(own.address.split('%', 1)[0] ?? '') === canonical),
  );
}

function makeLookup(admit: EgressGuard['admit'], port: number): LookupFunction {
  return (hostname, options, callback) => {
    admit(hostname, port).then(
      ({ address, family }) => {
        if (options.all === true) callback(null, [{ address, family }]);
        else callback(null, address, family);
      },
      (error: unknown) => callback(asError(error), '', 4),
    );
  };
}
