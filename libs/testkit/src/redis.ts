import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedServers } from './shared-servers.ts';
import { until } from './until.ts';

/** A Redis server for one suite, reached through a unix socket. */
export interface TestRedis {
  /** For ioredis: the path of the socket with the password, or the URL of the configured server. */
  readonly url: string;
  /** Kills the server. */
  kill(): Promise<void>;
  close(): Promise<void>;
}

export async function startRedis(): Promise<TestRedis> {
  const { redis } = await sharedServers();
  if ('url' in redis) return { url: redis.url, kill: async () => undefined, close: async () => undefined };
  const dir = mkdtempSync(join(tmpdir(), 'tidemark-redis-'));
  const socket = join(dir, 'redis.sock');
  const password = randomBytes(12).toString('hex');
  const settings = ['--requirepass', password, '--save', '', '--dir', dir];
  const server = spawn(
    'setpriv',
    ['--pdeathsig', 'KILL', '--', redis.path, '--port', '0', '--unixsocket', socket, ...settings],
    { cwd: dir, stdio: 'ignore', env: { ...process.env, ...redis.env } },
  );
  const gone = new Promise((resolve) => server.once('exit', resolve));
  await until('a Redis server', () => existsSync(socket));
  const kill = async (): Promise<void> => {
    server.kill('SIGKILL');
    await gone;
  };
  return {
    url: `${socket}?password=${password}`,
    kill,
    async close() {
      await kill();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
