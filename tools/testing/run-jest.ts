import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { dyingWithParent } from '../../deploy/local/parts/part.ts';

// A stack that is being stopped has ten processes to end in their order.
const STOP_WITHIN_MS = 15_000;

export interface JestOptions {
  readonly root: string;
  /** Where everything these tests write is kept, gone with the run. */
  readonly scratchDir: string;
  readonly reportFile: string;
  /** What the person at the keyboard asked for. */
  readonly args: readonly string[];
  /** Calls the run off. */
  readonly signal: AbortSignal;
}

/** Runs jest to its end; false where it failed or was called off. */
export async function runJest({ root, scratchDir, reportFile, args, signal }: JestOptions): Promise<boolean> {
  const [program, ...words] = dyingWithParent('TERM', [
    process.execPath,
    '--conditions=tidemark-source',
    '--disable-warning=ExperimentalWarning',
    join(root, 'node_modules/jest/bin/jest.js'),
    // The transformed files outlive the run: its own temporary folder does not.
    `--cacheDirectory=${join(root, 'node_modules/.cache/jest')}`,
    '--verbose=false',
    '--json',
    `--outputFile=${reportFile}`,
    ...args,
  ]);
  // A session of its own, so that Ctrl-C reaches us alone and the whole group can be ended.
  const jest = spawn(program, words, {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, TMPDIR: scratchDir },
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
    // Nobody of the group is left.
  }
}
