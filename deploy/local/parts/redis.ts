import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { LOOPBACK } from '../ports.ts';
import type { ProcessPlan } from '../supervise.ts';
import type { Program } from './debian-packages.ts';
import { dyingWithParent, expectAnswer, plainEnv } from './part.ts';

/** Redis: rate windows only, nothing that can't be lost, so it keeps nothing on disk. */
export function redisPlan(dataDir: string, port: number, program: Program): ProcessPlan {
  const dir = join(dataDir, 'redis');
  mkdirSync(dir, { recursive: true });
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
      ...Object.entries(settings).flatMap(([key, value]) => [`--${key}`, value]),
    ]),
    env: plainEnv(join(dataDir, 'tmp'), program.env),
    cwd: dir,
    logFile: join(dataDir, 'logs/redis.log'),
    readyWithinMs: 15_000,
    stopSignal: 'SIGTERM',
    stopWithinMs: 3_000,
    probe: () => expectAnswer(port, 'PING\r\n', '+PONG'),
  };
}
