import { setTimeout as sleep } from 'node:timers/promises';
import type { MethodDefinition, Server } from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';
import { makeCallGuard } from './auth/call-guard.ts';
import { type FleetAccess, fleetAccess } from './auth/fleet-access.ts';
import { parseNamedCallers } from './auth/named-callers.ts';
import { parseSharedKeys } from './auth/shared-keys.ts';
import { type BaseConfig, type ConfigOf, type ConfigShape, readServiceConfig } from './config.ts';
import { dial, type Peer } from './grpc-client.ts';
import { type BoundMethod, createGrpcServer, type GrpcService, listen } from './grpc-server.ts';
import { portOf, type ReadyCheck, serveHealth } from './health.ts';
import { createLogger, type Logger } from './logger.ts';
import { memoryGuard } from './memory-guard.ts';
import { addReflection } from './reflection.ts';
import { startTelemetry, stopTelemetry } from './telemetry.ts';

interface Closeable {
  close?(): Promise<unknown> | unknown;
  end?(): Promise<unknown>;
  $disconnect?(): Promise<unknown>;
}

/** The interface a service's composition root builds on. */
export interface App<C> {
  readonly config: C;
  readonly log: Logger;
  /** Registers a resource. Resources are closed at shutdown, in reverse order. */
  own<T extends Closeable>(resource: T): T;
  /** Connects to another service. Calls carry credentials of this service. */
  dial(service: string, addresses: string): Peer;
  /** Registers the implementation of every method of a proto service. */
  serve(
    definition: Readonly<Record<string, MethodDefinition<never, never>>> | object,
    methods: readonly BoundMethod[],
  ): void;
  /** Adds a readiness check, reported by /readyz. */
  ready(name: string, check: ReadyCheck): void;
}

export interface ServiceDefinition<S extends ConfigShape> {
  readonly name: string;
  readonly config: S;
  /** Builds and connects the parts of the service. */
  start(app: App<ConfigOf<S> & BaseConfig>): Promise<void>;
}

export function defineService<S extends ConfigShape>(definition: ServiceDefinition<S>): ServiceDefinition<S> {
  return definition;
}

export interface StartedService {
  readonly grpcPort: number;
  /** Port of the health, readiness and metrics endpoints. */
  readonly httpPort: number;
  close(): Promise<void>;
}

/** Adds a resource to the stack. A failure to close it is logged and does not prevent the closing of the others. */
const adopt = <T extends Closeable>(stack: AsyncDisposableStack, log: Logger, resource: T): T =>
  stack.adopt(resource, async (resources) => {
    try {
      await (resources.close?.() ?? resources.end?.() ?? resources.$disconnect?.());
    } catch (error) {
      log.warn({ err: error }, 'resource did not close cleanly');
    }
  });

/** Rejects new calls and waits up to five seconds for calls in progress. */
async function drain(server: Server): Promise<void> {
  await Promise.race([
    new Promise<void>((resolve) => server.tryShutdown(() => resolve())),
    sleep(5_000, undefined, { ref: false }),
  ]);
  server.forceShutdown();
}

/** Starts a service in this process. @throws Error if its configuration is invalid or a dependency is unavailable */
export async function start<S extends ConfigShape>(
  definition: ServiceDefinition<S>,
  env: Readonly<Record<string, string | undefined>>,
): Promise<StartedService> {
  const config = readServiceConfig(definition.name, definition.config, env);
  const base: BaseConfig = config;
  const log = createLogger(definition.name, base.LOG_LEVEL);
  await startTelemetry(definition.name);

  const access = fleetAccess(definition.name, base);
  const resources = new AsyncDisposableStack();
  const grpcServices: GrpcService[] = [];
  const checks = new Map<string, ReadyCheck>([['memory', () => memoryGuard.check()]]);
  try {
    await definition.start({
      config,
      log,
      own: (resource) => adopt(resources, log, resource),
      dial: (service, addresses) => adopt(resources, log, dial(service, addresses, access)),
      serve: (service, methods) =>
        grpcServices.push({ definition: Object.fromEntries(Object.entries(service)), methods }),
      ready: (name, check) => checks.set(name, check),
    });
    return await listenAll({ access, base, grpcServices, checks, resources, log });
  } catch (error) {
    await resources.disposeAsync();
    throw error;
  }
}

interface Parts {
  readonly access: FleetAccess;
  readonly base: BaseConfig;
  readonly grpcServices: readonly GrpcService[];
  readonly checks: ReadonlyMap<string, ReadyCheck>;
  readonly resources: AsyncDisposableStack;
  readonly log: Logger;
}

/** Starts the gRPC server, with health and reflection, and the HTTP server of the operator endpoints. */
async function listenAll({ access, base, grpcServices, checks, resources, log }: Parts): Promise<StartedService> {
  const server = createGrpcServer(grpcServices, {
    service: access.name,
    log,
    guard: makeCallGuard({
      fleetKeys: parseSharedKeys(base.FLEET_KEYS),
      named: parseNamedCallers(base.GRPC_CALLERS),
      now: Date.now,
    }),
    tls: access.tls,
  });
  const health = new HealthImplementation({ '': 'SERVING' });
  health.addToServer(server);
  const paths = grpcServices.flatMap((service) => service.methods.map((method) => method.path));
  addReflection(server, paths);
  const grpcPort = await listen(server, base.GRPC_LISTEN, access.tls);
  const healthServer = await serveHealth(base.HTTP_LISTEN, checks);
  log.info({ grpc: base.GRPC_LISTEN, http: base.HTTP_LISTEN }, 'service is listening');
  return {
    grpcPort,
    httpPort: portOf(healthServer),
    async close() {
      health.setStatus('', 'NOT_SERVING');
      await drain(server);
      healthServer.closeAllConnections();
      healthServer.close();
      await resources.disposeAsync();
    },
  };
}

/** Runs one service as the process: configured by environment variables, stopped by SIGTERM or SIGINT. */
export async function run<S extends ConfigShape>(definition: ServiceDefinition<S>): Promise<void> {
  const running = await start(definition, process.env);
  let ending = false;
  const end = async () => {
    if (ending) return;
    ending = true;
    await running.close();
    await stopTelemetry();
    process.exit(0);
  };
  process.on('SIGTERM', () => void end());
  process.on('SIGINT', () => void end());
}
