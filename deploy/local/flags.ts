import { parseArgs } from 'node:util';
import { messageOf, Problem } from './problem.ts';

export const DEFAULT_PORT = 8787;

export interface Flags {
  readonly port: number;
  readonly processPerService: boolean;
  readonly billingDemo: boolean;
  readonly help: boolean;
}

export const HELP = `npm start [-- options]

  --port N               port of the REST API on 127.0.0.1 (default ${DEFAULT_PORT})
  --process-per-service  run every service in a process of its own, as on Kubernetes
  --billing-demo         sell plans and credits through a sandbox of a payment gateway; no money is moved
  --help                 this text

Data is kept in .tidemark/, or in the folder that TIDEMARK_DATA_DIR names. These variables name something to be used instead of what is started here:
  DATABASE_URL  NATS_URL  REDIS_URL  BLOB_URL  CHROMIUM_PATH
CHROMIUM_SANDBOX (on, off) is on where the kernel allows Chromium's sandbox; else it is set to off, with a warning.
TIDEMARK_EGRESS_ALLOW (hosts, host:port or CIDRs, comma-separated) lets captures reach private addresses.
LOG_LEVEL (fatal, error, warn, info, debug, trace) is the services'; their logs are in .tidemark/logs/.`;

/** @throws Problem that states what was expected */
export function parseFlags(args: readonly string[]): Flags {
  const { port, ...switches } = valuesOf(args);
  return {
    port: port === undefined ? DEFAULT_PORT : portNumber(port),
    processPerService: switches['process-per-service'] ?? false,
    billingDemo: switches['billing-demo'] ?? false,
    help: switches.help ?? false,
  };
}

function valuesOf(args: readonly string[]) {
  try {
    const options = {
      port: { type: 'string' },
      'process-per-service': { type: 'boolean' },
      'billing-demo': { type: 'boolean' },
      help: { type: 'boolean' },
    } as const;
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new Problem(
      `${messageOf(error)} Options go behind two dashes: npm start -- --port 8788; npm start -- --help lists them.`,
    );
  }
}

function portNumber(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535)
    throw new Problem(`--port ${text} is no port; expected a number from 1 to 65535.`);
  return port;
}
