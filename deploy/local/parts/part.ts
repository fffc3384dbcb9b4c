import { renameSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { LOOPBACK } from '../ports.ts';
import { Problem } from '../problem.ts';
import type { Supervised } from '../supervise.ts';
import type { Program } from './debian-packages.ts';

/** PostgreSQL, NATS or Redis: run by the stack, or configured by URL. */
export interface Part {
  readonly url: string;
  /** 0 if the stack does not run the part. */
  readonly port: number;
  /** 0 if the part is not running, or the stack does not run it. */
  readonly pid: number;
  /** Sends a signal; after one that ends the process it stays ended until `restart()`. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Restarts it on the same port with the same data. */
  restart(): Promise<void>;
}

/** A server with one account. */
export interface PasswordServer {
  readonly program: Program;
  readonly password: string;
}

/** Writes a file that only its owner can read, also if a readable one exists. */
export function writePrivately(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** A part that this stack runs. */
export const ownPart = (url: string, port: number, server: Supervised): Part => ({
  url,
  port,
  get pid() {
    return server.pid;
  },
  kill: (signal) => server.kill(signal),
  restart: () => server.restart(),
});

/** A part that is configured by URL. The stack never starts or stops it. */
export function configuredPart(name: string, url: string): Part {
  const refuse = async (): Promise<never> => {
    throw new Problem(`${name} was configured by URL and is not this stack's to stop.`);
  };
  return { url, port: 0, pid: 0, kill: refuse, restart: refuse };
}

/** Environment of a child process: from the user's shell, only the variables that a program needs to run. */
export function plainEnv(tmpDir: string, more: Record<string, string> = {}): Record<string, string> {
  const { PATH = '/usr/bin:/bin', HOME = '/', TZ, LANG } = process.env;
  return {
    PATH,
    HOME,
    TMPDIR: tmpDir,
    ...(TZ === undefined ? {} : { TZ }),
    ...(LANG === undefined ? {} : { LANG }),
    ...more,
  };
}

/** Runs a server with a parent-death signal, so that the kernel ends it with its supervisor. */
export const dyingWithParent = (signal: 'INT' | 'TERM' | 'KILL', command: readonly string[]): [string, ...string[]] => [
  'setpriv',
  '--pdeathsig',
  signal,
  '--',
  ...command,
];

/** Sends bytes to a port and resolves when the response contains the expected text. @throws Error otherwise */
export function expectResponse(port: number, say: string, expected: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: LOOPBACK, timeout: 1_000 });
    let response = '';
    socket.once('connect', () => socket.write(say));
    socket.on('data', (chunk) => {
      response += chunk.toString('latin1');
      if (!response.includes(expected)) return;
      socket.destroy();
      resolve();
    });
    socket.once('timeout', () => socket.destroy(new Error('no response within a second')));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error(`answered ${JSON.stringify(response.slice(0, 80))}`)));
  });
}
