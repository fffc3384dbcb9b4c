import { parseAllowList } from './allow-list.ts';
import { createGuard, type EgressGuard } from './guard.ts';
import { type OutboundProxyConfig, outboundProxyOf } from './outbound-proxy.ts';

/** Settings of the egress guard, as every service that connects to user-supplied addresses reads them. */
export interface EgressConfig {
  readonly TIDEMARK_EGRESS_ALLOW: string;
  readonly TIDEMARK_OWN_PORTS: string;
}

/** Creates the guard of a service that opens connections, with the proxy of the operator. @throws RangeError that names every invalid entry */
export const guardFromConfig = (config: EgressConfig & OutboundProxyConfig): EgressGuard =>
  createGuard({ ...rulesOf(config), proxy: outboundProxyOf(config) });

/** Creates the guard of a service that checks addresses and opens no connection. @throws RangeError that names every invalid entry */
export const checkingGuardFromConfig = (config: EgressConfig): EgressGuard => createGuard(rulesOf(config));

const rulesOf = (config: EgressConfig) => ({
  allow: parseAllowList(config.TIDEMARK_EGRESS_ALLOW),
  ownPorts: parseOwnPorts(config.TIDEMARK_OWN_PORTS),
});

/** Parses TIDEMARK_OWN_PORTS: comma-separated port numbers. @throws RangeError that names every invalid entry */
export function parseOwnPorts(text: string): number[] {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  const isPort = (entry: string) => /^\d{1,5}$/.test(entry) && Number(entry) >= 1 && Number(entry) <= 65_535;
  const invalid = entries.filter((entry) => !isPort(entry)).map((entry) => `"${entry}" is not a port (1..65535)`);
  if (invalid.length > 0) throw new RangeError(`TIDEMARK_OWN_PORTS: ${invalid.join('; ')}`);
  return entries.map(Number);
}
