import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { hostPlan } from '../../deploy/local/host-process.ts';
import { fleetKeys, sealingKeys } from '../../deploy/local/local-keys.ts';
import { choosePorts, LOOPBACK } from '../../deploy/local/ports.ts';
import { serviceEnv } from '../../deploy/local/service-plan.ts';
import { TOOLS_DIR } from '../../deploy/local/stack-context.ts';
import { Supervised } from '../../deploy/local/supervise.ts';
import { SERVICES, type ServiceName } from '../../deploy/services.ts';
import { until } from '../harness/until.ts';

/** Instances of every service. */
const INSTANCES = [0, 1] as const;
/** Services whose instances are replaced at once. */
const SERVICES_AT_ONCE = 4;
type Instance = (typeof INSTANCES)[number];

/** Servers that the instances use. */
export interface Servers {
  readonly dataDir: string;
  readonly databaseUrl: string;
  readonly natsUrl: string;
  readonly redisUrl: string;
  readonly blobUrl: string;
  readonly egressAllow: string;
  /** Further environment of a service. */
  readonly env: Partial<Record<ServiceName, Readonly<Record<string, string>>>>;
}

/** Two instances of every service, each of the code of some folder; a caller reaches both (`ipv4:` addresses, round robin). */
export class TwoInstances {
  readonly #servers: Servers;
  readonly #services: readonly ServiceName[];
  readonly #ports: (name: string) => number;
  readonly #running = new Map<string, Supervised>();

  private constructor(servers: Servers, services: readonly ServiceName[], ports: (name: string) => number) {
    this.#servers = servers;
    this.#services = services;
    this.#ports = ports;
  }

  /** Starts both instances of every service from the code in a folder. Browser-pool and mcp have one process each of their own kind and are left out. */
  static async start(servers: Servers, folder: string): Promise<TwoInstances> {
    const services = SERVICES.filter((name) => name !== 'browser-pool' && name !== 'mcp');
    const names = INSTANCES.flatMap((instance) => [
      `rest.${instance}`,
      ...SERVICES.flatMap((name) => [`${name}.${instance}.grpc`, `${name}.${instance}.http`]),
    ]);
    mkdirSync(join(servers.dataDir, 'logs'), { recursive: true });
    const ports = await choosePorts(join(servers.dataDir, 'instances.json'), names);
    const fleet = new TwoInstances(servers, services, ports);
    for (const instance of INSTANCES) await Promise.all(services.map((name) => fleet.#start(name, instance, folder)));
    return fleet;
  }

  /** Addresses of the REST interfaces. */
  get urls(): readonly string[] {
    return INSTANCES.map((instance) => `http://${LOOPBACK}:${this.#ports(`rest.${instance}`)}`);
  }

  /** Address of one instance of a service. */
  grpcAddr(name: ServiceName): string {
    return `${LOOPBACK}:${this.#ports(`${name}.0.grpc`)}`;
  }

  /**
   * Replaces every instance by the code in a folder, as a rolling update of all services does: of each service one instance at a time, of several services
   * at once. `beforeStop` runs before a gateway is stopped.
   */
  async replaceAll(folder: string, beforeStop: (instance: Instance) => Promise<void>): Promise<void> {
    const limit = pLimit(SERVICES_AT_ONCE);
    for (const instance of INSTANCES) {
      const replace = async (name: ServiceName): Promise<void> => {
        if (name === 'gateway') await beforeStop(instance);
        await this.#running.get(`${name}.${instance}`)?.stop();
        await this.#start(name, instance, folder);
      };
      await Promise.all(this.#services.map((name) => limit(() => replace(name))));
    }
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#running.values()].map((one) => one.stop()));
  }

  async #start(name: ServiceName, instance: Instance, folder: string): Promise<void> {
    const { dataDir, databaseUrl, natsUrl, redisUrl, blobUrl, egressAllow, env } = this.#servers;
    const values = serviceEnv(name, {
      databaseUrl,
      natsUrl,
      redisUrl,
      blobUrl,
      chromium: { path: '', sandbox: 'on' },
      egressAllow,
      sealingKeys: sealingKeys(dataDir),
      fleetKeys: fleetKeys(dataDir),
      logLevel: 'info',
      restPort: this.#ports(`rest.${instance}`),
      consoleDir: '',
      mcpPort: 0,
      exitProxyPort: 0,
      paymentPorts: [],
      port: (service, kind) => this.#ports(`${service}.${instance}.${kind}`),
    });
    const addresses = Object.keys(values).filter((key) => key.endsWith('_ADDR'));
    const both = addresses.map((key) => [key, this.#bothOf(key)] as const);
    const all = { ...values, ...Object.fromEntries(both), ...env[name] };
    const plan = hostPlan(`${name}-${instance}`, new Map([[name, all]]), { dataDir, toolsDir: TOOLS_DIR });
    const command = plan.command.map((part) =>
      part.endsWith('/deploy/local/host.ts') ? join(folder, 'deploy/local/host.ts') : part,
    );
    const [program = '', ...args] = command;
    const supervised = new Supervised(
      { ...plan, command: [program, ...args] },
      { keepAlive: false, onChange() {}, onUnexpectedEnd() {} },
    );
    this.#running.set(`${name}.${instance}`, supervised);
    await supervised.start();
    const url = `http://${LOOPBACK}:${this.#ports(`${name}.${instance}.http`)}/readyz`;
    await until(`${name} ${instance}`, async () => (await fetch(url)).ok, { withinMs: 120_000 });
  }

  /** Returns the addresses of both instances of the service that a setting names. */
  #bothOf(key: string): string {
    const service = key
      .replace(/_ADDR$/, '')
      .toLowerCase()
      .replaceAll('_', '-');
    return `${INSTANCES.map((instance) => `${LOOPBACK}:${this.#ports(`${service}.${instance}.grpc`)}`).join(',')}`;
  }
}
