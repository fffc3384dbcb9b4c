import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { dyingWithParent } from '../../deploy/local/parts/part.ts';
import { compileCacheOf } from './compile-cache.ts';

// A stack ends its ten processes in order.
const STOP_WITHIN_MS = 15_000;

export interface JestOptions {
  readonly root: string;
  /** Temporary folder of the tests. */
  readonly scratchDir: string;
  readonly reportFile: string;
  /** Further words for jest. */
  readonly args: readonly string[];
  /** Cancels the run. */
  readonly signal: AbortSignal;
}

/** Runs jest and returns whether all tests passed. */
export async function runJest({ root, scratchDir, reportFile, args, signal }: JestOptions): Promise<boolean> {
  const [program, ...words] = dyingWithParent('TERM', [
    process.execPath,
    '--conditions=tidemark-source',
    '--disable-warning=ExperimentalWarning',
    join(root, 'node_modules/jest/bin/jest.js'),
    // Jest's cache outlives the run: the run's own temporary folder does not.
    `--cacheDirectory=${join(root, 'node_modules/.cache/jest')}`,
    '--verbose=false',
    '--json',
    `--outputFile=${reportFile}`,
    ...args,
  ]);
  // A session of its own: Ctrl-C reaches this process alone, which can end the whole group.
  const jest = spawn(program, words, {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, TMPDIR: scratchDir, ...compileCacheOf(root) },
  });
  const ended = new Promise<boolean>((resolve) => {
    jest.once('error', () => resolve(false));
    jest.once('exit', (code) => resolve(code === 0));
  });
  signal.addEventListener('abort', () => void stopGroup(jest, ended), { once: true });
  process.once('exit', () => signalGroup(jest, 'SIGKILL'));
  return ended;
}

async function stopGroup(leader: ChildProcess, ended: Promise<boolean>): Promise<void> {
  signalGroup(leader, 'SIGINT');
  await Promise.race([ended, sleep(STOP_WITHIN_MS)]);
  signalGroup(leader, 'SIGKILL');
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has ended.
  }
}
