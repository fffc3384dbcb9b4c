import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LOOPBACK } from '../ports.ts';
import type { ProcessPlan } from '../supervise.ts';
import type { Program } from './debian-packages.ts';
import { dyingWithParent, expectAnswer, plainEnv } from './part.ts';

/** NATS with JetStream, its streams under the data folder. */
export function natsPlan(dataDir: string, port: number, program: Program): ProcessPlan {
  const dir = join(dataDir, 'nats');
  const config = join(dir, 'nats.conf');
  mkdirSync(dir, { recursive: true });
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
    prepare: async () => writeFileSync(config, configuration(dir, port)),
    // The server greets with INFO; it answers PING only once JetStream has recovered its streams.
    probe: () => expectAnswer(port, 'CONNECT {"verbose":false}\r\nPING\r\n', 'PONG'),
  };
}

// What JetStream acknowledged is in the kernel's hands at once and on disk within two minutes (sync_interval, the server's
// default). A crash of the server loses nothing, a power cut may lose those minutes: Postgres is the truth, what must happen
// is a row there first, and a reconciler sends it again.
const configuration = (dir: string, port: number): string => `# Written by deploy/local/parts/nats.ts at every start.
listen: ${LOOPBACK}:${port}
server_name: tidemark
max_payload: 8MB
max_pending: 64MB
jetstream {
  store_dir: ${JSON.stringify(dir)}
  max_mem: 64MB
  max_file: 8GB
}
`;
