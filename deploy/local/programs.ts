import { type ChildProcess, execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { asObject } from './json-file.ts';
import { messageOf } from './problem.ts';

const run = promisify(execFile);

// They are ended when this process ends.
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Finds a program on PATH and in the folders for daemons, which are missing on an ordinary user's PATH. */
export function programOnPath(name: string): string | undefined {
  const folders = [
    ...(process.env['PATH'] ?? '').split(':'),
    '/usr/local/sbin',
    '/usr/sbin',
    '/usr/local/bin',
    '/usr/bin',
  ];
  return folders
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns the shared libraries that a binary needs and that are missing. */
export async function missingLibraries(binary: string, libraryPath = ''): Promise<string[]> {
  const inherited = process.env['LD_LIBRARY_PATH'] ?? '';
  const env = { ...process.env, LD_LIBRARY_PATH: [libraryPath, inherited].filter((path) => path !== '').join(':') };
  // ldd exits with 1 for a static binary, which needs no libraries.
  const output = await run('ldd', [binary], { env }).then(
    ({ stdout }) => stdout,
    () => '',
  );
  return [...output.matchAll(/^\s*(\S+) => not found/gm)].flatMap((match) => match[1] ?? []);
}

/** Runs a program to its end. @returns its output @throws Error with the end of its output if it fails */
export async function runToEnd(
  command: readonly [string, ...string[]],
  options: { cwd?: string; env?: NodeJS.ProcessEnv; withinMs: number; input?: string },
): Promise<string> {
  const [program, ...args] = command;
  const work = run(program, args, {
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: options.env ?? process.env,
    timeout: options.withinMs,
    killSignal: 'SIGKILL',
    maxBuffer: 16 * 1024 * 1024,
  });
  running.add(work.child);
  // A program that ends without reading its input fails by its exit code.
  work.child.stdin?.on('error', () => {}).end(options.input);
  try {
    return (await work).stdout;
  } catch (error) {
    const { stdout, stderr } = asObject(error);
    const said = [stderr, stdout]
      .map((text) => (typeof text === 'string' ? text.trim() : ''))
      .find((text) => text !== '');
    const words = (said ?? messageOf(error)).split('\n').slice(-4).join(' ');
    throw new Error(`${program} failed: ${words}`, { cause: error });
  } finally {
    running.delete(work.child);
  }
}
