import { join } from 'node:path';
import { npmPackage } from '../../../../deploy/local/npm-program.ts';
import { expectResponse } from '../../../../deploy/local/parts/part.ts';
import { type RealServer, startRealServer } from './real-server.ts';

export const ACCOUNT = { user: 'tidemark', password: 'password-of-the-tests' };

export interface ClickhouseServer extends RealServer {
  /** Gives the user a profile that may write, or one that may not. */
  allowWrites(isAllowed: boolean): Promise<void>;
}

/** Starts the engine of ClickHouse 26.7 (chdb, 546 MB) behind an HTTP server, with the database `tidemark`. */
export async function startClickhouse(dataDir?: string): Promise<ClickhouseServer> {
  const root = await npmPackage('chdb', '3.4.0');
  const server = await startRealServer('chdb', async (port, dir) => ({
    command: [
      process.execPath,
      join(import.meta.dirname, 'chdb-server.ts'),
      join(root, 'node_modules/chdb/index.mjs'),
      join(dataDir ?? dir, 'data'),
      String(port),
      ACCOUNT.user,
      ACCOUNT.password,
    ],
    probe: () => expectResponse(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n', 'HTTP/1.1 403'),
  }));
  const allowWrites = async (isAllowed: boolean): Promise<void> => {
    await fetch(`http://127.0.0.1:${server.port}/rights?write=${isAllowed ? 'yes' : 'no'}`, { method: 'POST' });
  };
  return { ...server, allowWrites };
}
