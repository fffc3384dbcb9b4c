import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { until } from './until.ts';

const HOST = resolve(import.meta.dirname, '../parts-host.mjs');
const READY_WITHIN_MS = 120_000;

type Server = { readonly path: string; readonly env: Record<string, string> } | { readonly url: string };

/** What the suites of one jest run share. */
export interface Parts {
  readonly database: { readonly adminUrl: string; readonly template: string };
  /** The program each suite starts its own server with, or the server that was configured for all. */
  readonly nats: Server;
  readonly redis: Server;
}

/** The process all suites of a run have in common: jest itself, whose child a worker is. */
const jestPid = (): number => (typeof process.send === 'function' ? process.ppid : process.pid);

let known: Promise<Parts> | undefined;

/**
 * The parts this jest run stands on, started by the first suite that asks. They end with the run.
 * @throws Error saying why there are none
 */
export function sharedParts(): Promise<Parts> {
  known ??= findOrStart();
  return known;
}

async function findOrStart(): Promise<Parts> {
  const owner = jestPid();
  const dir = join(tmpdir(), `tidemark-testkit-${owner}`);
  if (isFirst(dir)) {
    const log = openSync(join(dir, 'parts.log'), 'a');
    spawn(process.execPath, ['--conditions=tidemark-source', '--disable-warning=ExperimentalWarning', HOST], {
      cwd: dir,
      detached: true,
      stdio: ['ignore', log, log],
      env: { ...process.env, TESTKIT_DIR: dir, TESTKIT_OWNER_PID: String(owner) },
    }).unref();
    closeSync(log);
  }
  const file = join(dir, 'parts.json');
  await until('PostgreSQL and NATS of the tests', () => existsSync(file), { withinMs: READY_WITHIN_MS });
  const told: Parts | { failed: string } = JSON.parse(readFileSync(file, 'utf8'));
  if ('failed' in told) throw new Error(`the tests have no parts to run on: ${told.failed}`);
  return told;
}

/** Making the folder is the lock: one process of the run succeeds. */
function isFirst(dir: string): boolean {
  try {
    mkdirSync(dir);
    return true;
  } catch {
    return false;
  }
}
