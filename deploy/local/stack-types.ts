import type { SampleSite } from '../sample-site/server.ts';
import type { Part } from './parts/part.ts';
import type { Progress } from './progress.ts';
import type { ServiceName } from './service-plan.ts';

export interface StackOptions {
  /** Where this stack keeps its data; made if absent. Tests take one of their own. */
  readonly dataDir: string;
  /** The REST port. Without it: any free one, remembered. */
  readonly port?: number;
  /** The services to run. All of them by default. */
  readonly services?: readonly ServiceName[];
  /** More hosts the egress guard lets through, beside the sample site: hosts, host:port or CIDRs, comma-separated. */
  readonly egressAllow?: string;
  /** Environment keys laid over those a service is given. */
  readonly env?: Partial<Record<ServiceName, Readonly<Record<string, string>>>>;
  /** A process for each service, as on Kubernetes, instead of the light ones together. */
  readonly processPerService?: boolean;
  /** For tests: PostgreSQL does not wait for the disk, and its cluster is copied from a prepared one. */
  readonly ephemeral?: boolean;
  /** Start again whatever ends by itself. */
  readonly keepAlive?: boolean;
  readonly logLevel?: string;
  /** Calls a start under way off: it fails, with nothing left running. Once the stack is up, `stop()` is the way. */
  readonly signal?: AbortSignal;
  /** Receives every step. Without it nothing is printed. */
  readonly progress?: Progress;
}

/** One running service. Restarting or killing it does so to the process that hosts it, others in there included. */
export interface ServiceHandle {
  readonly name: ServiceName;
  readonly pid: number;
  readonly grpcAddr: string;
  readonly httpAddr: string;
  kill(signal: NodeJS.Signals): Promise<void>;
  restart(): Promise<void>;
}

export interface Stack {
  /** The REST API's address, without a trailing slash. */
  readonly url: string;
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
