import { join } from 'node:path';
import { npmPackage } from '../../../../deploy/local/npm-program.ts';
import { expectAnswer } from '../../../../deploy/local/parts/part.ts';
import { type RealServer, startRealServer } from './real-server.ts';

export const ACCOUNT = { user: 'tidemark', password: 'password-of-the-tests' };

/** Starts the engine of ClickHouse 26.7 (chdb, 546 MB) behind an HTTP server, with the database `tidemark`. */
export async function startClickhouse(): Promise<RealServer> {
  const root = await npmPackage('chdb', '3.4.0');
  return startRealServer('chdb', async (port, dir) => ({
    command: [
      process.execPath,
      ...[join(import.meta.dirname, 'chdb-server.ts'), join(root, 'node_modules/chdb/index.mjs'), join(dir, 'data')],
      ...[String(port), ACCOUNT.user, ACCOUNT.password],
    ],
    probe: () => expectAnswer(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n', 'HTTP/1.1 403'),
  }));
}
