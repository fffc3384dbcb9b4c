import { join } from 'node:path';
import { hostPlan } from '../../deploy/local/host-process.ts';
import { fleetKeys } from '../../deploy/local/local-keys.ts';
import { choosePorts, LOOPBACK } from '../../deploy/local/ports.ts';
import { TOOLS_DIR } from '../../deploy/local/stack-context.ts';
import { Supervised } from '../../deploy/local/supervise.ts';
import { catalogueIn } from './catalogue.ts';
import { type FleetAddress, MANY_CLIENTS } from './fleet.ts';
import { TcpRelay } from './tcp-relay.ts';

/** Services that the gateway calls. */
export const PEERS = [
  ...(['identity', 'billing', 'scrape', 'browser-pool', 'archive', 'map', 'crawl'] as const),
  ...(['projects', 'diff', 'export', 'delivery'] as const),
];
export type PeerName = (typeof PEERS)[number];

/** A second gateway of a running fleet. */
export interface OwnGateway {
  /** Address of the REST API, without a trailing slash. */
  readonly url: string;
  /** Its connections to each service. */
  relay(service: PeerName): TcpRelay;
  close(): Promise<void>;
}

/**
 * Starts a gateway process whose connections to the services of a fleet can be cut: the fleet itself runs on for other tests.
 * `more` are settings; `restPort` is chosen by default.
 */
export async function startOwnGateway(
  fleet: FleetAddress,
  more: Readonly<Record<string, string>> = {},
  restPort?: number,
): Promise<OwnGateway> {
  const portFile = join(fleet.dataDir, `own-gateway-${process.pid}.json`);
  const port = await choosePorts(portFile, ['rest', 'grpc', 'http', ...PEERS]);
  const rest = restPort ?? port('rest');
  const relays = new Map(PEERS.map((name) => [name, new TcpRelay(port(name), fleet.grpc[name] ?? '')]));
  await Promise.all([...relays.values()].map((relay) => relay.open()));
  const addresses = [...relays].map(([name, { address }]) => [
    `${name.toUpperCase().replaceAll('-', '_')}_ADDR`,
    address,
  ]);
  const env = {
    GRPC_LISTEN: `${LOOPBACK}:${port('grpc')}`,
    HTTP_LISTEN: `${LOOPBACK}:${port('http')}`,
    LISTEN: `${LOOPBACK}:${rest}`,
    LOG_LEVEL: 'info',
    FLEET_KEYS: fleetKeys(fleet.dataDir),
    REDIS_URL: fleet.redisUrl,
    TIDEMARK_CATALOGUE: process.env['TIDEMARK_CATALOGUE'] ?? catalogueIn(fleet.dataDir),
    ...MANY_CLIENTS,
    ...Object.fromEntries(addresses),
    ...more,
  };
  const at = { dataDir: fleet.dataDir, toolsDir: TOOLS_DIR };
  const plan = hostPlan(`gateway-${rest}`, new Map([['gateway', env]]), at);
  const supervised = new Supervised(plan, { keepAlive: false, onChange() {}, onUnexpectedEnd() {} });
  await supervised.start();
  return {
    url: `http://${LOOPBACK}:${rest}`,
    relay(service) {
      const relay = relays.get(service);
      if (relay === undefined) throw new Error(`the gateway does not call ${service}`);
      return relay;
    },
    async close() {
      await supervised.stop();
      await Promise.all([...relays.values()].map((relay) => relay.cut()));
    },
  };
}
