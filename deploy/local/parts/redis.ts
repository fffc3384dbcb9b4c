import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { LOOPBACK } from '../ports.ts';
import type { ProcessPlan } from '../supervise.ts';
import { dyingWithParent, expectResponse, type PasswordServer, plainEnv, writePrivately } from './part.ts';

export const redisUrlAt = (port: number, password: string): string => `redis://:${password}@${LOOPBACK}:${port}`;

/**
 * Redis without persistence, because its data may be lost. The password is in a file that only its owner can read,
 * since arguments are visible to other users.
 */
export function redisPlan(dataDir: string, port: number, { program, password }: PasswordServer): ProcessPlan {
  const dir = join(dataDir, 'redis');
  const config = join(dir, 'redis.conf');
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const settings = {
    port: `${port}`,
    bind: LOOPBACK,
    dir,
    save: '',
    appendonly: 'no',
    maxmemory: '64mb',
    'maxmemory-policy': 'allkeys-lru',
  };
  return {
    name: 'redis',
    command: dyingWithParent('TERM', [
      program.path,
      config,
      ...Object.entries(settings).flatMap(([key, value]) => [`--${key}`, value]),
    ]),
    env: plainEnv(join(dataDir, 'tmp'), program.env),
    cwd: dir,
    logFile: join(dataDir, 'logs/redis.log'),
    readyWithinMs: 15_000,
    stopSignal: 'SIGTERM',
    stopWithinMs: 3_000,
    prepare: async () => writePrivately(config, `requirepass ${password}\n`),
    probe: () => expectResponse(port, `AUTH ${password}\r\nPING\r\n`, '+PONG'),
  };
}
