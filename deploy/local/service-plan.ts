import {
  DESCRIPTIONS,
  LOCAL_SETTINGS,
  NETWORK_SETTINGS,
  SERVICES,
  type ServiceName,
  serviceOfAddress,
} from '../services.ts';
import { ownSettings } from '../settings.ts';
import type { Chromium } from './parts/chromium.ts';
import { LOOPBACK } from './ports.ts';

/** Settings that are shared by services. Each service gets only the keys it reads. */
export interface Surroundings {
  readonly databaseUrl: string;
  readonly natsUrl: string;
  readonly redisUrl: string;
  readonly blobUrl: string;
  readonly chromium: Chromium;
  readonly egressAllow: string;
  /** Keys that seal secrets at rest, newest first. */
  readonly sealingKeys: string;
  /** Keys that sign calls between services: the current one, then the previous one. */
  readonly fleetKeys: string;
  readonly logLevel: string;
  readonly restPort: number;
  /** Folder of the built console; empty: the gateway serves none. */
  readonly consoleDir: string;
  readonly mcpPort: number;
  /** Port of the CONNECT endpoint of browser-pool. */
  readonly exitProxyPort: number;
  /** Ports of programs that run beside the fleet and that only billing calls. */
  readonly paymentPorts: readonly number[];
  port(service: ServiceName, protocol: 'grpc' | 'http'): number;
}

export type PortName = `${ServiceName}.grpc` | `${ServiceName}.http`;

/** Names of the services' ports in the stored list. */
export const servicePorts: readonly PortName[] = SERVICES.flatMap((name) => [`${name}.grpc`, `${name}.http`] as const);

/** Returns the services of each process. */
export function processesOf(services: readonly ServiceName[], processPerService: boolean): Map<string, ServiceName[]> {
  const processes = new Map<string, ServiceName[]>();
  for (const service of services) {
    const name = !processPerService && DESCRIPTIONS[service].process === 'light' ? 'light' : service;
    processes.set(name, [...(processes.get(name) ?? []), service]);
  }
  return processes;
}

/** Returns the environment of one service, with the same keys as on Kubernetes: only keys that its `config.ts` declares. */
export function serviceEnv(name: ServiceName, around: Surroundings): Record<string, string> {
  const values = { ...sharedValues(around), ...operatorValues(name), ...localValues(name, around) };
  const own = ownSettings(name).flatMap(({ key }) => {
    const value = key.endsWith('_ADDR') ? addressOf(serviceOfAddress(key), around) : values[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  return {
    GRPC_LISTEN: addressOf(name, around),
    HTTP_LISTEN: `${LOOPBACK}:${around.port(name, 'http')}`,
    LOG_LEVEL: around.logLevel,
    FLEET_KEYS: around.fleetKeys,
    ...settingsOf((key) => key.startsWith('GRPC_TLS_') || key === 'GRPC_CALLERS'),
    ...Object.fromEntries(own),
  };
}

const addressOf = (service: ServiceName, around: Surroundings): string => `${LOOPBACK}:${around.port(service, 'grpc')}`;

/** Values that are the same for every service that reads them. */
const sharedValues = (around: Surroundings): Record<string, string> => ({
  DATABASE_URL: around.databaseUrl,
  NATS_URL: around.natsUrl,
  REDIS_URL: around.redisUrl,
  BLOB_URL: around.blobUrl,
  SEALING_KEYS: around.sealingKeys,
});

/** Settings of the operator: those of the service, of the network, and those that start with TIDEMARK_, such as TIDEMARK_CATALOGUE. */
function operatorValues(name: ServiceName): Record<string, string> {
  const keys = [...DESCRIPTIONS[name].operator, ...NETWORK_SETTINGS, ...LOCAL_SETTINGS];
  return settingsOf((key) => key.startsWith('TIDEMARK_') || keys.includes(key));
}

/** Values of a service on one machine, which replace those of the operator. */
function localValues(name: ServiceName, around: Surroundings): Record<string, string> {
  const { restPort } = around;
  const guard = { TIDEMARK_EGRESS_ALLOW: around.egressAllow, TIDEMARK_OWN_PORTS: ownPorts(name, around).join(',') };
  switch (name) {
    case 'identity':
      return { ...guard, ACCOUNT_MAILS: (process.env['MAIL_URL'] ?? '') === '' ? 'off' : 'on' };
    case 'browser-pool':
      return {
        ...guard,
        CHROMIUM_PATH: around.chromium.path,
        CHROMIUM_SANDBOX: around.chromium.sandbox,
        EXIT_PROXY_LISTEN: `${LOOPBACK}:${around.exitProxyPort}`,
      };
    case 'export':
      return { ...guard, MAX_CONCURRENT_READS: '1' }; // the requests of the API wait in the same process
    case 'delivery':
      return {
        ...guard,
        PUBLIC_URL: process.env['PUBLIC_URL'] ?? `http://${LOOPBACK}:${restPort}/v1`,
        CONSOLE_URL: process.env['CONSOLE_URL'] ?? consoleUrl(restPort),
      };
    case 'gateway':
      return {
        LISTEN: `${listenHost()}:${restPort}`,
        // Installations on one host differ in the port, which cookies ignore.
        INSTALLATION: String(restPort),
        CONSOLE_DIR: around.consoleDir,
        MCP_URL: mcpUrl(around),
      };
    case 'mcp':
      return {
        LISTEN: `${listenHost()}:${around.mcpPort}`,
        GATEWAY_PORT: String(restPort),
        PUBLIC_URL: mcpUrl(around),
        AUTHORIZATION_SERVER: `http://${LOOPBACK}:${restPort}`,
      };
    default:
      return guard;
  }
}

/** Address on which clients reach the REST interface and MCP: TIDEMARK_HOST, such as 0.0.0.0 in a container; by default this machine alone. */
const listenHost = (): string => process.env['TIDEMARK_HOST'] || LOOPBACK;

/** Returns the origin of the console, which the gateway serves: that of PUBLIC_URL where it is configured. */
function consoleUrl(restPort: number): string {
  const configured = process.env['PUBLIC_URL'] ?? '';
  return configured === '' ? `http://${LOOPBACK}:${restPort}` : new URL(configured).origin;
}

/** Returns the address of the MCP endpoint. */
const mcpUrl = ({ mcpPort }: Surroundings): string => `http://${LOOPBACK}:${mcpPort}/mcp`;

/**
 * Returns every port on which this fleet and its servers listen; the operator and `npm start` may add some. Captures and messages never reach them.
 */
function ownPorts(
  service: ServiceName,
  { databaseUrl, natsUrl, redisUrl, restPort, mcpPort, exitProxyPort, paymentPorts, port }: Surroundings,
): number[] {
  const servers = [databaseUrl, natsUrl, redisUrl].map((url) => Number(URL.parse(url)?.port ?? 0));
  const more = (process.env['TIDEMARK_OWN_PORTS'] ?? '').split(',').map(Number);
  const services = SERVICES.flatMap((name) => [port(name, 'grpc'), port(name, 'http')]);
  const payments = service === 'billing' ? [] : paymentPorts;
  return [...new Set([restPort, mcpPort, exitProxyPort, ...payments, ...services, ...servers, ...more])].filter(
    (number) => number > 0,
  );
}

/** Returns the variables of this process that are included. */
function settingsOf(isIncluded: (key: string) => boolean): Record<string, string> {
  const entries = Object.entries(process.env).flatMap(([key, value]) =>
    isIncluded(key) && value !== undefined ? [[key, value] as const] : [],
  );
  return Object.fromEntries(entries);
}
