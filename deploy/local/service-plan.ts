import type { Chromium } from './parts/chromium.ts';
import { LOOPBACK } from './ports.ts';

/** The services of the fleet, in display order. */
export const SERVICES = [
  'identity',
  'billing',
  'archive',
  'browser-pool',
  'scrape',
  'map',
  'crawl',
  'projects',
  'diff',
  'export',
  'delivery',
  'gateway',
  'mcp',
] as const;
export type ServiceName = (typeof SERVICES)[number];

/** Services that share a process on one machine, because a Node process costs about 100 MB. */
const LIGHT: readonly ServiceName[] = [
  'identity',
  'billing',
  'archive',
  'map',
  'crawl',
  'projects',
  'diff',
  'export',
  'delivery',
  'gateway',
  'mcp',
];

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
  port(service: ServiceName, protocol: 'grpc' | 'http'): number;
}

export type PortName = `${ServiceName}.grpc` | `${ServiceName}.http`;

/** Names of the services' ports in the stored list. */
export const servicePorts: readonly PortName[] = SERVICES.flatMap((name) => [`${name}.grpc`, `${name}.http`] as const);

/** Returns the services of each process. */
export function processesOf(services: readonly ServiceName[], processPerService: boolean): Map<string, ServiceName[]> {
  const processes = new Map<string, ServiceName[]>();
  for (const service of services) {
    const name = !processPerService && LIGHT.includes(service) ? 'light' : service;
    processes.set(name, [...(processes.get(name) ?? []), service]);
  }
  return processes;
}

/** Returns the environment of one service, with the same keys as on Kubernetes. */
export function serviceEnv(name: ServiceName, around: Surroundings): Record<string, string> {
  const address = (service: ServiceName): string => `${LOOPBACK}:${around.port(service, 'grpc')}`;
  const durable = { DATABASE_URL: around.databaseUrl, NATS_URL: around.natsUrl };
  const own: Record<ServiceName, Record<string, string>> = {
    identity: {
      ...durable,
      SEALING_KEYS: around.sealingKeys,
      ACCOUNT_MAILS: (process.env['MAIL_URL'] ?? '') === '' ? 'off' : 'on',
      TIDEMARK_EGRESS_ALLOW: around.egressAllow,
      ...settingsOf(isAccountSetting),
    },
    billing: {
      ...durable,
      IDENTITY_ADDR: address('identity'),
      TIDEMARK_EGRESS_ALLOW: around.egressAllow,
      ...settingsOf((key) => /^(RAZORPAY|STRIPE|PAYMENT)_/.test(key)),
    },
    archive: { ...durable, BLOB_URL: around.blobUrl },
    scrape: {
      ...durable,
      BLOB_URL: around.blobUrl,
      BILLING_ADDR: address('billing'),
      BROWSER_POOL_ADDR: address('browser-pool'),
      ARCHIVE_ADDR: address('archive'),
      REDIS_URL: around.redisUrl,
      SEALING_KEYS: around.sealingKeys,
      TIDEMARK_EGRESS_ALLOW: around.egressAllow,
    },
    'browser-pool': {
      CHROMIUM_PATH: around.chromium.path,
      CHROMIUM_SANDBOX: around.chromium.sandbox,
      REDIS_URL: around.redisUrl,
      EXIT_PROXY_LISTEN: `${LOOPBACK}:${around.exitProxyPort}`,
      TIDEMARK_EGRESS_ALLOW: around.egressAllow,
    },
    map: {
      ...durable,
      BLOB_URL: around.blobUrl,
      BILLING_ADDR: address('billing'),
      REDIS_URL: around.redisUrl,
      TIDEMARK_EGRESS_ALLOW: around.egressAllow,
    },
    crawl: {
      ...durable,
      BILLING_ADDR: address('billing'),
      ARCHIVE_ADDR: address('archive'),
      MAP_ADDR: address('map'),
      BROWSER_POOL_ADDR: address('browser-pool'),
      SEALING_KEYS: around.sealingKeys,
      TIDEMARK_EGRESS_ALLOW: around.egressAllow,
    },
    projects: {
      ...durable,
      CRAWL_ADDR: address('crawl'),
      SCRAPE_ADDR: address('scrape'),
      EXPORT_ADDR: address('export'),
      SEALING_KEYS: around.sealingKeys,
      TIDEMARK_EGRESS_ALLOW: around.egressAllow,
    },
    diff: {
      ...durable,
      ARCHIVE_ADDR: address('archive'),
      CRAWL_ADDR: address('crawl'),
      SCRAPE_ADDR: address('scrape'),
    },
    export: {
      ...durable,
      ARCHIVE_ADDR: address('archive'),
      CRAWL_ADDR: address('crawl'),
      DIFF_ADDR: address('diff'),
      MAP_ADDR: address('map'),
      MAX_CONCURRENT_READS: '1', // the requests of the API wait in the same process
      SEALING_KEYS: around.sealingKeys,
      TIDEMARK_EGRESS_ALLOW: around.egressAllow,
    },
    delivery: {
      ...durable,
      CRAWL_ADDR: address('crawl'),
      MAP_ADDR: address('map'),
      PROJECTS_ADDR: address('projects'),
      DIFF_ADDR: address('diff'),
      EXPORT_ADDR: address('export'),
      SEALING_KEYS: around.sealingKeys,
      TIDEMARK_EGRESS_ALLOW: around.egressAllow,
      PUBLIC_URL: `http://${LOOPBACK}:${around.restPort}/v1`,
      ...settingsOf((key) => DELIVERY_SETTINGS.includes(key)),
    },
    gateway: {
      LISTEN: `${LOOPBACK}:${around.restPort}`,
      // Installations on one host differ in the port, which cookies ignore.
      INSTALLATION: String(around.restPort),
      CONSOLE_DIR: around.consoleDir,
      REDIS_URL: around.redisUrl,
      IDENTITY_ADDR: address('identity'),
      BILLING_ADDR: address('billing'),
      SCRAPE_ADDR: address('scrape'),
      BROWSER_POOL_ADDR: address('browser-pool'),
      ARCHIVE_ADDR: address('archive'),
      MAP_ADDR: address('map'),
      CRAWL_ADDR: address('crawl'),
      PROJECTS_ADDR: address('projects'),
      DIFF_ADDR: address('diff'),
      EXPORT_ADDR: address('export'),
      DELIVERY_ADDR: address('delivery'),
      MCP_URL: mcpUrl(around),
    },
    mcp: {
      LISTEN: `${LOOPBACK}:${around.mcpPort}`,
      GATEWAY_ADDR: address('gateway'),
      GATEWAY_PORT: String(around.restPort),
      PUBLIC_URL: mcpUrl(around),
      AUTHORIZATION_SERVER: `http://${LOOPBACK}:${around.restPort}`,
    },
  };
  return {
    GRPC_LISTEN: address(name),
    HTTP_LISTEN: `${LOOPBACK}:${around.port(name, 'http')}`,
    LOG_LEVEL: around.logLevel,
    FLEET_KEYS: around.fleetKeys,
    ...settingsOf((key) => key.startsWith('GRPC_TLS_') || key === 'GRPC_CALLERS'),
    // Only browser-pool receives the credentials of exits.
    ...settingsOf((key) => key.startsWith('TIDEMARK_') && (key !== 'TIDEMARK_EXITS' || name === 'browser-pool')),
    TIDEMARK_OWN_PORTS: ownPorts(around).join(','),
    ...own[name],
  };
}

/** Returns the address of the MCP endpoint. */
const mcpUrl = ({ mcpPort }: Surroundings): string => `http://${LOOPBACK}:${mcpPort}/mcp`;

/** Returns every port on which this fleet and its servers listen; the operator may add some. Captures and messages never reach them. */
function ownPorts({ databaseUrl, natsUrl, redisUrl, restPort, mcpPort, exitProxyPort, port }: Surroundings): number[] {
  const servers = [databaseUrl, natsUrl, redisUrl].map((url) => Number(URL.parse(url)?.port ?? 0));
  const more = (process.env['TIDEMARK_OWN_PORTS'] ?? '').split(',').map(Number);
  const services = SERVICES.flatMap((name) => [port(name, 'grpc'), port(name, 'http')]);
  return [...new Set([restPort, mcpPort, exitProxyPort, ...services, ...servers, ...more])].filter(
    (number) => number > 0,
  );
}

const ACCOUNT_SETTINGS: readonly string[] = ['SIGN_UP', 'PASSWORD_MIN'];
const isAccountSetting = (key: string): boolean => ACCOUNT_SETTINGS.includes(key) || key.startsWith('OIDC_');
const DELIVERY_SETTINGS: readonly string[] = ['MAIL_URL', 'MAIL_FROM', 'CONSOLE_URL', 'PUBLIC_URL'];

/** Settings of the operator. Those that start with TIDEMARK_, such as TIDEMARK_CATALOGUE, are passed to every service. */
function settingsOf(isIncluded: (key: string) => boolean): Record<string, string> {
  const entries = Object.entries(process.env).flatMap(([key, value]) =>
    isIncluded(key) && value !== undefined ? [[key, value] as const] : [],
  );
  return Object.fromEntries(entries);
}
