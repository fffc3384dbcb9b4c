import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { dialAsOperator, freePort, until } from '@tidemark/testkit';

/** The program of the real crawl, which tests reach over gRPC only. */
const MAIN = resolve(import.meta.dirname, '../../crawl/src/main.ts');
const FLAGS = ['--conditions=tidemark-source', '--disable-warning=ExperimentalWarning'];

/** A program in a separate process, which ends with the test. */
export interface TestProcess {
  /** Ends the process with SIGKILL. */
  kill(): Promise<void>;
  close(): Promise<void>;
}

/** The real crawl in a separate process. */
export interface CrawlProcess extends TestProcess {
  readonly address: string;
}

export function spawnProgram(file: string, env: Readonly<Record<string, string>>): TestProcess {
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', process.execPath, ...FLAGS, file], {
    stdio: process.env['TEST_LOG'] === undefined ? 'ignore' : 'inherit',
    env: {
      PATH: process.env['PATH'] ?? '',
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
      LOG_LEVEL: process.env['TEST_LOG'] ?? 'silent',
      ...env,
    },
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  return { kill, close: kill };
}

/** Starts crawl and resolves when it is ready. */
export async function spawnCrawl(env: Readonly<Record<string, string>>): Promise<CrawlProcess> {
  const address = `127.0.0.1:${await freePort()}`;
  const program = spawnProgram(MAIN, { HTTP_LISTEN: '127.0.0.1:0', ...env, GRPC_LISTEN: address });
  const peer = dialAsOperator('crawl', address);
  try {
    await until('crawl to be ready', async () => {
      await peer.ready();
      return true;
    });
  } catch (error) {
    await program.close();
    throw error;
  } finally {
    await peer.close();
  }
  return { ...program, address };
}
