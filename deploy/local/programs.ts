import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A program on PATH; the folders for daemons are looked through too, as they are missing on an ordinary user's PATH. */
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

/** The shared libraries a binary asks for and does not find. */
export async function missingLibraries(binary: string, libraryPath = ''): Promise<string[]> {
  const inherited = process.env['LD_LIBRARY_PATH'] ?? '';
  const env = { ...process.env, LD_LIBRARY_PATH: [libraryPath, inherited].filter((path) => path !== '').join(':') };
  // ldd refuses a static binary with exit code 1: that one misses nothing.
  const output = await run('ldd', [binary], { env }).then(
    ({ stdout }) => stdout,
    () => '',
  );
  return [...output.matchAll(/^\s*(\S+) => not found/gm)].flatMap((match) => match[1] ?? []);
}

/** Runs a program to its end and answers what it printed; throws with its last words where it fails. */
export async function runToEnd(
  command: readonly [string, ...string[]],
  options: { cwd?: string; env?: NodeJS.ProcessEnv; withinMs: number },
): Promise<string> {
  const [program, ...args] = command;
  try {
    const { stdout } = await run(program, args, {
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      env: options.env ?? process.env,
      timeout: options.withinMs,
      killSignal: 'SIGKILL',
      maxBuffer: 16 * 1024 * 1024,
    });
    return stdout;
  } catch (error) {
    const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    const stdout = error instanceof Error && 'stdout' in error ? String(error.stdout).trim() : '';
    const words = (stderr || stdout || String(error)).split('\n').slice(-4).join(' ');
    throw new Error(`${program} failed: ${words}`, { cause: error });
  }
}
