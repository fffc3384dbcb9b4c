import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import type { Peer } from '@tidemark/service';
import { dialAsOperator, fleetEnv } from './fleet-access.ts';
import { until } from './until.ts';

/** A service in its own process, which a test can kill. */
export interface ServiceProcess {
  readonly address: string;
  readonly peer: Peer;
  /** Sends a signal; after SIGKILL resolves once the process is gone. */
  kill(signal: NodeJS.Signals): Promise<void>;
  close(): Promise<void>;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (bound === null || typeof bound === 'string') throw new Error('there is no free port');
  return bound.port;
}

/** Runs a service's `main.ts` with this environment and no other. Resolves when it is ready; it ends with the test. */
export async function spawnService(
  name: string,
  mainFile: string,
  env: Readonly<Record<string, string>>,
): Promise<ServiceProcess> {
  const address = `127.0.0.1:${await freePort()}`;
  const flags = ['--conditions=tidemark-source', '--disable-warning=ExperimentalWarning'];
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', process.execPath, ...flags, mainFile], {
    stdio: 'ignore',
    env: {
      PATH: process.env['PATH'] ?? '',
      // Node's cache of compiled modules: the process starts in half the time.
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
      LOG_LEVEL: 'silent',
      HTTP_LISTEN: '127.0.0.1:0',
      ...fleetEnv,
      ...env,
      GRPC_LISTEN: address,
    },
  });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const peer = dialAsOperator(name, address);
  await until(`${name} to be ready`, async () => {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    await peer.ready();
    return true;
  });
  return {
    address,
    peer,
    async kill(signal) {
      child.kill(signal);
      if (signal === 'SIGKILL') await gone;
    },
    async close() {
      await peer.close();
      child.kill('SIGKILL');
      await gone;
    },
  };
}
