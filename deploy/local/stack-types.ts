import type { SampleSite } from '../sample-site/server.ts';
import type { ServiceName } from '../services.ts';
import type { Part } from './parts/part.ts';
import type { Progress } from './progress.ts';

export interface StackOptions {
  /** Data folder of the stack; created if absent. Tests use a separate one. */
  readonly dataDir: string;
  /** The REST port. By default any free one, which is stored. */
  readonly port?: number;
  /** The services to run; all by default. */
  readonly services?: readonly ServiceName[];
  /** Hosts that the egress guard allows in addition to the sample site: hosts, host:port or CIDRs, comma-separated. */
  readonly egressAllow?: string;
  /** Ports of a payment gateway on this machine, which billing calls and no capture or message reaches. */
  readonly paymentPorts?: readonly number[];
  /** Environment keys that override those of a service. */
  readonly env?: Partial<Record<ServiceName, Readonly<Record<string, string>>>>;
  /** Runs each service in its own process, as on Kubernetes, instead of one process for the light services. */
  readonly processPerService?: boolean;
  /** For tests: PostgreSQL commits without fsync, and its cluster is copied from a template. */
  readonly ephemeral?: boolean;
  /** Restarts processes that end unexpectedly. */
  readonly keepAlive?: boolean;
  /** Builds the console, which the gateway then serves. */
  readonly console?: boolean;
  readonly logLevel?: string;
  /** Cancels a start in progress: it fails and leaves no process running. A running stack is ended by `stop()`. */
  readonly signal?: AbortSignal;
  /** Receives every step. Without it nothing is printed. */
  readonly progress?: Progress;
}

/** One running service. Restart and kill apply to its process, including other services in it. */
export interface ServiceHandle {
  readonly name: ServiceName;
  readonly pid: number;
  readonly grpcAddr: string;
  readonly httpAddr: string;
  kill(signal: NodeJS.Signals): Promise<void>;
  restart(): Promise<void>;
}

export interface Stack {
  /** Address of the REST API, without a trailing slash. */
  readonly url: string;
  /** Address of the MCP endpoint, where that service runs. */
  readonly mcpUrl: string;
  readonly urls: {
    readonly databaseUrl: string;
    readonly natsUrl: string;
    readonly redisUrl: string;
    readonly blobUrl: string;
  };
  readonly services: ReadonlyMap<ServiceName, ServiceHandle>;
  readonly parts: { readonly postgres: Part; readonly nats: Part; readonly redis: Part };
  readonly sampleSite: Pick<SampleSite, 'url' | 'show'>;
  readonly dataDir: string;
  /** Ends the services, then Redis, NATS and PostgreSQL. */
  stop(): Promise<void>;
  /** Ends every process at once. */
  killNow(): void;
}
