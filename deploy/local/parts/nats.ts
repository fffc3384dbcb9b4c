import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { LOOPBACK } from '../ports.ts';
import type { ProcessPlan } from '../supervise.ts';
import { dyingWithParent, expectResponse, type PasswordServer, plainEnv, writePrivately } from './part.ts';

const USER = 'tidemark';

export const natsUrlAt = (port: number, password: string): string => `nats://${USER}:${password}@${LOOPBACK}:${port}`;

/** NATS with JetStream, its streams under the data folder. One account with a password; the configuration file is readable by its owner only. */
export function natsPlan(dataDir: string, port: number, { program, password }: PasswordServer): ProcessPlan {
  const dir = join(dataDir, 'nats');
  const config = join(dir, 'nats.conf');
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  return {
    name: 'nats',
    command: dyingWithParent('TERM', [program.path, '--config', config]),
    // Without a limit, the Go runtime uses more memory to save CPU time.
    env: plainEnv(join(dataDir, 'tmp'), { GOMEMLIMIT: '96MiB', ...program.env }),
    cwd: dir,
    logFile: join(dataDir, 'logs/nats.log'),
    readyWithinMs: 20_000,
    stopSignal: 'SIGTERM',
    stopWithinMs: 5_000,
    prepare: async () => writePrivately(config, configuration(dir, port, password)),
    // The server sends INFO first; it responds to PING after JetStream has recovered its streams.
    probe: () => {
      const connect = JSON.stringify({ verbose: false, user: USER, pass: password });
      return expectResponse(port, `CONNECT ${connect}\r\nPING\r\n`, 'PONG');
    },
  };
}

// Acknowledged messages are in the page cache at once and on disk within two minutes (sync_interval, the server's
// default). A crash of the server loses nothing; a power failure may lose those minutes. PostgreSQL is the source of truth: events
// are rows there first, and the outbox sends them again.
const configuration = (
  dir: string,
  port: number,
  password: string,
): string => `# Written by deploy/local/parts/nats.ts at every start.
listen: ${LOOPBACK}:${port}
server_name: tidemark
max_payload: 8MB
max_pending: 64MB
authorization { user: ${USER}, password: ${JSON.stringify(password)} }
jetstream {
  store_dir: ${JSON.stringify(dir)}
  max_mem: 64MB
  max_file: 8GB
}
`;
