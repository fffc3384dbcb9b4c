import { type EgressGuard, EgressRefused, type RequirePublicUrl } from '@tidemark/egress';
import type { Values } from '../domain/connection.ts';
import { invalid } from '../domain/connection-values.ts';
import type { Provider } from '../domain/providers/provider.ts';
import type { DriverKind } from './driver.ts';

interface AdmitDeps {
  readonly guard: EgressGuard;
  readonly requirePublicUrl: RequirePublicUrl;
  readonly kindOf: (kind: string) => DriverKind | undefined;
}

/** The port of a connection, and those that its protocol uses too. */
interface Ports {
  readonly port: number;
  readonly alsoPorts: readonly number[];
}

/**
 * Checks the addresses of a connection before it is stored. Every connection to them is checked again when it is opened. A
 * name that does not resolve passes: the test of the connection reports it.
 */
export type AdmitConnection = (provider: Provider, config: Values) => Promise<void>;

export function makeAdmitConnection({ guard, requirePublicUrl, kindOf }: AdmitDeps): AdmitConnection {
  /** @param config with fallbacks @throws AppError validation naming the field */
  return async (provider, config) => {
    for (const { name, type } of provider.fields) {
      const value = config[name];
      if (value === undefined) continue;
      if (type === 'url') await requirePublicUrl(value, `config.${name}`);
      if (type === 'host') await requirePublicHost(name, value, portsOf(provider, config));
    }
  };

  function portsOf(provider: Provider, config: Values): Ports {
    return { port: Number(config['port']), alsoPorts: kindOf(provider.kind)?.alsoPorts ?? [] };
  }

  async function requirePublicHost(name: string, host: string, { port, alsoPorts }: Ports): Promise<void> {
    try {
      await guard.admit(host, port, alsoPorts);
    } catch (error) {
      if (!(error instanceof EgressRefused)) return;
      throw invalid(
        ['config', name],
        `this address is not allowed: ${error.reason}; expected a public address, or one that the operator permits with TIDEMARK_EGRESS_ALLOW`,
      );
    }
  }
}
