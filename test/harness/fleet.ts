import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Peer } from '@tidemark/service';
import pg from 'pg';
import { hostPlan } from '../../deploy/local/host-process.ts';
import { fleetKeys, sealingKeys } from '../../deploy/local/local-keys.ts';
import { operatorPeer } from '../../deploy/local/operator-peer.ts';
import { choosePorts, LOOPBACK } from '../../deploy/local/ports.ts';
import { serviceEnv } from '../../deploy/local/service-plan.ts';
import { type ServiceName, type Stack, type StackOptions, startStack } from '../../deploy/local/stack.ts';
import { TOOLS_DIR } from '../../deploy/local/stack-context.ts';
import { Supervised } from '../../deploy/local/supervise.ts';
import { EGRESS_ALLOW } from '../web/server.ts';
import { type Api, apiOf } from './api.ts';
import { TEST_PLAN, writeCatalogue } from './catalogue.ts';
import { People } from './people.ts';
import { until } from './until.ts';
import { Workspaces } from './workspaces.ts';

/** Addresses of a running stack, for any process. */
export interface FleetAddress {
  readonly url: string;
  readonly databaseUrl: string;
  readonly natsUrl: string;
  readonly redisUrl: string;
  /** Address of each service's gRPC interface, by service. */
  readonly grpc: Readonly<Record<string, string>>;
  /** Address of each service's health and metrics, by service. */
  readonly http: Readonly<Record<string, string>>;
  readonly dataDir: string;
}

/** A client of a running stack. */
export interface Fleet extends FleetAddress {
  readonly workspaces: Workspaces;
  readonly people: People;
  api(key: string): Api;
  /** Connects to a service as the operator. */
  dial(service: string): Peer;
  /** Reads or changes the services' tables. */
  sql<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Closes this client's connections; the stack runs on. */
  close(): Promise<void>;
}

/** A stack for one suite. */
export interface OwnFleet extends Fleet {
  readonly stack: Stack;
  /** Starts another process of a service, which ends with the fleet at the latest. */
  replica(name: Replicated): Promise<Replica>;
}

/** Services of which a second process can be started: those that need neither a browser nor a port of clients. */
export type Replicated = Exclude<ServiceName, 'browser-pool' | 'gateway' | 'mcp'>;

/** A second process of a service. */
export interface Replica {
  readonly pid: number;
  readonly grpcAddr: string;
  readonly httpAddr: string;
  kill(signal: NodeJS.Signals): Promise<void>;
  stop(): Promise<void>;
}

/** The environment key that holds the address of the shared stack. */
export const SHARED_FLEET = 'TEST_FLEET';

function clientOf(address: FleetAddress): Fleet {
  const dial = (service: string): Peer => operatorPeer(address.dataDir, service, address.grpc[service] ?? '');
  const identity = dial('identity');
  const pool = new pg.Pool({ connectionString: address.databaseUrl, max: 4 });
  // Some tests kill the database under an idle connection.
  pool.on('error', () => undefined);
  return {
    ...address,
    workspaces: new Workspaces(identity, address.url),
    people: new People(address.url),
    dial,
    api: (key) => apiOf(address.url, key),
    sql: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
      (await pool.query<Row>(text, [...values])).rows,
    async close() {
      await identity.close();
      await pool.end();
    },
  };
}

/** Returns the addresses of a stack. */
export const addressOf = (stack: Stack): FleetAddress => ({
  url: stack.url,
  databaseUrl: stack.urls.databaseUrl,
  natsUrl: stack.urls.natsUrl,
  redisUrl: stack.urls.redisUrl,
  grpc: Object.fromEntries([...stack.services].map(([name, service]) => [name, service.grpcAddr])),
  http: Object.fromEntries([...stack.services].map(([name, service]) => [name, service.httpAddr])),
  dataDir: stack.dataDir,
});

/** Settings of a gateway: all suites share one client address, and many of their requests have no valid key. */
export const MANY_CLIENTS = { AUTH_FAILURES_PER_MINUTE: '1000000', MAX_CONNECTIONS_PER_ADDRESS: '5000' };

/** Starts a stack, silently, in a data folder that is deleted at its end: a new one, or the given one. */
export async function startFleet({
  dataDir = mkdtempSync(join(tmpdir(), 'tidemark-test-')),
  ...options
}: Partial<StackOptions> = {}): Promise<OwnFleet> {
  delete process.env['HTTPS_PROXY']; // a proxy of the machine's network has no way to the sites of the tests
  const plans = { TIDEMARK_CATALOGUE: process.env['TIDEMARK_CATALOGUE'] ?? writeCatalogue(dataDir) };
  const env = {
    ...options.env,
    gateway: { ...MANY_CLIENTS, ...plans, ...options.env?.gateway },
    identity: { SIGN_UP: 'open', TIDEMARK_DEFAULT_PLAN: TEST_PLAN, ...plans, ...options.env?.identity },
    billing: { ...plans, ...options.env?.billing },
    // Many suites open recorders at once, and look at them only now and then.
    'browser-pool': { LIVE_PAGES: '24', LIVE_PAGE_IDLE_SECONDS: '300', ...options.env?.['browser-pool'] },
  };
  const stack = await startStack({ egressAllow: EGRESS_ALLOW, ephemeral: true, ...options, env, dataDir });
  const client = clientOf(addressOf(stack));
  const replicas: Replica[] = [];
  return {
    ...client,
    stack,
    async replica(name) {
      const replica = await startReplica(stack, name, { ...options, env });
      replicas.push(replica);
      return replica;
    },
    async close() {
      await client.close();
      await Promise.all(replicas.map((replica) => replica.stop()));
      await stack.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Starts a process with the settings of the first one and other ports. */
async function startReplica(
  stack: Stack,
  name: Replicated,
  { egressAllow = EGRESS_ALLOW, logLevel = 'info', env: more }: Omit<StackOptions, 'dataDir'>,
): Promise<Replica> {
  const own = await choosePorts(join(stack.dataDir, 'replica-ports.json'), ['grpc', 'http']);
  const portOf = (service: ServiceName, kind: 'grpc' | 'http'): number => {
    const handle = stack.services.get(service);
    return Number((kind === 'grpc' ? handle?.grpcAddr : handle?.httpAddr)?.split(':').at(-1) ?? 1);
  };
  const env = serviceEnv(name, {
    ...stack.urls,
    chromium: { path: '', sandbox: 'on' },
    egressAllow: [new URL(stack.sampleSite.url).host, egressAllow].join(','),
    sealingKeys: sealingKeys(stack.dataDir),
    fleetKeys: fleetKeys(stack.dataDir),
    logLevel,
    restPort: Number(new URL(stack.url).port),
    mcpPort: 0,
    exitProxyPort: 0,
    paymentPorts: [],
    consoleDir: '',
    port: (service, kind) => (service === name ? own(kind) : portOf(service, kind)),
  });
  const at = { dataDir: stack.dataDir, toolsDir: TOOLS_DIR };
  const plan = hostPlan(`${name}-${own('grpc')}`, new Map([[name, { ...env, ...more?.[name] }]]), at);
  const supervised = new Supervised(plan, { keepAlive: false, onChange() {}, onUnexpectedEnd() {} });
  await supervised.start();
  const httpAddr = `${LOOPBACK}:${own('http')}`;
  await until(`a second ${name}`, async () => (await fetch(`http://${httpAddr}/readyz`)).ok);
  return {
    get pid() {
      return supervised.pid;
    },
    grpcAddr: `${LOOPBACK}:${own('grpc')}`,
    httpAddr,
    kill: (signal) => supervised.kill(signal),
    stop: () => supervised.stop(),
  };
}

/** Returns a client of the stack that jest's global setup started. */
export function sharedFleet(): Fleet {
  const text = process.env[SHARED_FLEET];
  if (text === undefined)
    throw new Error(`no shared stack: run these tests with jest, whose setup sets ${SHARED_FLEET}`);
  const address: FleetAddress = JSON.parse(text);
  return clientOf(address);
}

/** Returns a service of a stack. @throws Error where it does not run */
export function serviceOf({ stack }: OwnFleet, name: ServiceName) {
  const service = stack.services.get(name);
  if (service === undefined) throw new Error(`${name} does not run in this stack`);
  return service;
}
