import { existsSync } from 'node:fs';
import { join } from 'node:path';
import mysql from 'mysql2/promise';
import { runToEnd } from '../../../../deploy/local/programs.ts';
import { packagedProgram, packagesOf, type RealServer, startRealServer } from './real-server.ts';

export const PASSWORD = 'password-of-the-tests';
const SETUP_MS = 120_000;

/** Starts MariaDB of Debian (mariadb-server-core) with a user and a database, both `tidemark`. */
export async function startMariadb(options: readonly string[] = []): Promise<RealServer> {
  const root = await packagesOf('mariadb-server-core', 'mariadb-client-core');
  const { path, env } = await packagedProgram(root, 'usr/sbin/mariadbd');
  // As root the server needs a user name that exists; it changes to none.
  const user = process.getuid?.() === 0 ? ['--user=root'] : [];
  const server = await startRealServer('mariadb', async (port, dir) => {
    const data = join(dir, 'data');
    const common = ['--no-defaults', `--basedir=${join(root, 'usr')}`, `--datadir=${data}`, ...user];
    return {
      command: [
        path,
        ...common,
        `--port=${port}`,
        '--bind-address=127.0.0.1',
        `--socket=${join(dir, 'socket')}`,
        `--pid-file=${join(dir, 'pid')}`,
        '--innodb-buffer-pool-size=128M',
        '--innodb-flush-log-at-trx-commit=2',
        ...options,
      ],
      env,
      prepare: async () => {
        if (existsSync(data)) return;
        const install = ['--auth-root-authentication-method=normal', '--skip-test-db', `--tmpdir=${join(dir, 'tmp')}`];
        const command = ['bash', join(root, 'usr/bin/mariadb-install-db'), ...common, ...install] as const;
        await runToEnd(command, { env: { ...process.env, ...env }, withinMs: SETUP_MS });
      },
      probe: async () => {
        const admin = await mysql.createConnection({ host: '127.0.0.1', port, user: 'root' });
        await admin.query('SELECT 1').finally(() => admin.end());
      },
    };
  });
  const admin = await mysql.createConnection({ host: '127.0.0.1', port: server.port, user: 'root' });
  await admin.query('CREATE DATABASE IF NOT EXISTS tidemark');
  await admin.query(`CREATE USER IF NOT EXISTS tidemark@'%' IDENTIFIED BY '${PASSWORD}'`);
  await admin.query("GRANT ALL ON tidemark.* TO tidemark@'%'");
  await admin.end();
  return server;
}
