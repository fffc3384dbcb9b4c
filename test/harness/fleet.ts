import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dial } from '@tidemark/service';
import pg from 'pg';
import { TOOLS_DIR } from '../../deploy/local/ground.ts';
import { hostPlan } from '../../deploy/local/host-process.ts';
import { choosePorts, LOOPBACK } from '../../deploy/local/ports.ts';
import { sealingKeys } from '../../deploy/local/sealing-keys.ts';
import { serviceEnv } from '../../deploy/local/service-plan.ts';
import { type ServiceName, type Stack, type StackOptions, startStack } from '../../deploy/local/stack.ts';
import { Supervised } from '../../deploy/local/supervise.ts';
import { EGRESS_ALLOW } from '../web/server.ts';
import { type Api, apiOf } from './api.ts';
import { until } from './until.ts';
import { Workspaces } from './workspaces.ts';

/** What it takes to reach a running stack, from any process. */
export interface FleetAddress {
  readonly url: string;
  readonly databaseUrl: string;
  readonly identity: string;
  /** Where each service's health and metrics are. */
  readonly http: Readonly<Record<string, string>>;
  readonly dataDir: string;
}

/** A running stack as tests see it. */
export interface Fleet extends FleetAddress {
  readonly workspaces: Workspaces;
  api(key: string): Api;
  /** Reads, or prepares, what the services keep. */
  sql<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Lets go of what this client holds; the stack runs on. */
  close(): Promise<void>;
}

/** A stack of a suite's own. */
export interface OwnFleet extends Fleet {
  readonly stack: Stack;
  /** Starts another process of a service beside the first; it ends with the fleet at the latest. */
  replica(name: Replicated): Promise<Replica>;
}

/** Services of which a second process can be started: those that need neither a browser nor the REST port. */
export type Replicated = Exclude<ServiceName, 'browser-pool' | 'gateway'>;

/** A second process of a service. */
export interface Replica {
  readonly pid: number;
  readonly grpcAddr: string;
  readonly httpAddr: string;
  kill(signal: NodeJS.Signals): Promise<void>;
  stop(): Promise<void>;
}

/** The environment key by which the shared stack is told to the test files. */
export const SHARED_FLEET = 'TEST_FLEET';

function clientOf(address: FleetAddress): Fleet {
  const identity = dial('identity', address.identity);
  const pool = new pg.Pool({ connectionString: address.databaseUrl, max: 4 });
  // A database that is killed under an idle connection is a case of these tests.
  pool.on('error', () => undefined);
  return {
    ...address,
    workspaces: new Workspaces(identity, address.url),
    api: (key) => apiOf(address.url, key),
    sql: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
      (await pool.query<Row>(text, [...values])).rows,
    async close() {
      await identity.close();
      await pool.end();
    },
  };
}

/** How to reach a stack. */
export const addressOf = (stack: Stack): FleetAddress => ({
  url: stack.url,
  databaseUrl: stack.urls.databaseUrl,
  identity: stack.services.get('identity')?.grpcAddr ?? '',
  http: Object.fromEntries([...stack.services].map(([name, service]) => [name, service.httpAddr])),
  dataDir: stack.dataDir,
});

/** Starts a stack in a folder of its own, gone when it is closed. It prints nothing. */
export async function startFleet(options: Omit<StackOptions, 'dataDir'> = {}): Promise<OwnFleet> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tidemark-test-'));
  const stack = await startStack({ egressAllow: EGRESS_ALLOW, ephemeral: true, ...options, dataDir });
  const client = clientOf(addressOf(stack));
  const replicas: Replica[] = [];
  return {
    ...client,
    stack,
    async replica(name) {
      const replica = await startReplica(stack, name, options);
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

/** A replica is given the first process's settings, and ports of its own. */
async function startReplica(
  stack: Stack,
  name: Replicated,
  { egressAllow = EGRESS_ALLOW, logLevel = 'info', env: more }: Omit<StackOptions, 'dataDir'>,
): Promise<Replica> {
  const own = await choosePorts(join(stack.dataDir, 'replica-ports.json'), ['grpc', 'http']);
  const portOf = (service: ServiceName, face: 'grpc' | 'http'): number => {
    const handle = stack.services.get(service);
    return Number((face === 'grpc' ? handle?.grpcAddr : handle?.httpAddr)?.split(':').at(-1) ?? 1);
  };
  const env = serviceEnv(name, {
    ...stack.urls,
    chromiumPath: '',
    egressAllow: [new URL(stack.sampleSite.url).host, egressAllow].join(','),
    sealingKeys: sealingKeys(stack.dataDir),
    logLevel,
    restPort: Number(new URL(stack.url).port),
    port: (service, face) => (service === name ? own(face) : portOf(service, face)),
  });
  const at = { dataDir: stack.dataDir, toolsDir: TOOLS_DIR };
  const plan = hostPlan(`${name}-${own('grpc')}`, new Map([[name, { ...env, ...more?.[name] }]]), at);
  const supervised = new Supervised(plan, { keepAlive: false, onChange() {}, onUnexpectedEnd() {} });
  await supervised.start();
  const httpAddr = `${LOOPBACK}:${own('http')}`;
  await until(`a second ${name}`, async () => (await fetch(`http://${httpAddr}/readyz`)).ok, { withinMs: 30_000 });
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

/** The stack that contract, isolation, e2e and security share; jest's global setup has started it. */
export function sharedFleet(): Fleet {
  const told = process.env[SHARED_FLEET];
  if (told === undefined)
    throw new Error(`no shared stack: run these tests with jest, whose setup sets ${SHARED_FLEET}`);
  const address: FleetAddress = JSON.parse(told);
  return clientOf(address);
}

/** A service of a stack. @throws Error where it doesn't run */
export function serviceOf({ stack }: OwnFleet, name: ServiceName) {
  const service = stack.services.get(name);
  if (service === undefined) throw new Error(`${name} does not run in this stack`);
  return service;
}
