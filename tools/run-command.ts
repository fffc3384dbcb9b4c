import { type ChildProcess, spawn } from 'node:child_process';

export interface Ran {
  readonly ok: boolean;
  /** What it printed, both streams as they came. */
  readonly output: string;
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Runs a program to its end and keeps what it printed; one that can't be started has failed. It never outlives this process. */
export function runCommand(
  command: readonly [string, ...string[]],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const [program, ...args] = command;
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NO_COLOR: '1', ...env },
    });
    running.add(child);
    const output: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => output.push(text));
    const end = (ok: boolean, more: string): void => {
      running.delete(child);
      resolve({ ok, output: `${output.join('')}${more}`.trim() });
    };
    child.once('error', (error) => end(false, error.message));
    child.once('close', (code, signal) => end(code === 0, signal === null ? '' : `ended by ${signal}`));
  });
}
