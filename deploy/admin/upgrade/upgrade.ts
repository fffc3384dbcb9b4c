import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readJson } from '../../local/json-file.ts';
import { messageOf, Problem } from '../../local/problem.ts';
import { isAlive } from '../../local/processes.ts';
import { runToEnd } from '../../local/programs.ts';
import { runningProcesses } from '../../local/run-file.ts';
import { migrate } from '../../migrate.ts';
import { hasInstallation, openDataFolder } from '../installation.ts';
import { upgradeRefusal, versionIn } from './versions.ts';

export interface UpgradeOptions {
  /** Folder of the installed release. */
  readonly from: string;
  /** Folder of the new release, whose code runs. */
  readonly to: string;
  readonly dataDir: string;
  /** Port of the REST API. */
  readonly port: number;
  readonly say: (line: string) => void;
  /** Time that a version has to start and to answer, ms. */
  readonly startWithinMs?: number;
}

const STOP_WITHIN_MS = 60_000;
const START_WITHIN_MS = 300_000;
/**
 * What a way back needs: rows, streams, keys and ports. Bodies stay where they are: what is deleted meanwhile has had no reference for an hour at least,
 * so that the saved rows name none of it. The old version must be able to read the layout of the new one.
 */
const SAVED = [
  'postgres',
  'postgres.json',
  'nats',
  'passwords.json',
  'sealing.json',
  'fleet.json',
  'ports.json',
  'credentials.json',
];
const SAVE_FOLDER = 'before-upgrade';

/**
 * Upgrades an installation on one machine: stops the old version, saves its data (a copy that shares blocks where the file system can), applies the
 * migrations, starts the new version, and checks that it answers with the stored key. If a step fails, the saved data are put back and the old version
 * is started again: nothing that it accepted is lost. The copy is kept until the next upgrade.
 * @throws Problem if the upgrade is refused or failed; it says which version runs
 */
export async function upgrade(options: UpgradeOptions): Promise<void> {
  const { from, to, dataDir, say } = options;
  const [old, next] = [versionIn(from), versionIn(to)];
  const refusal = upgradeRefusal(old, next);
  if (from === to)
    throw new Problem(
      `${from} is the folder of both releases; run the command in the folder of the new one, with --from naming the old one.`,
    );
  if (refusal !== undefined) throw new Problem(`The upgrade from ${old} to ${next} is refused: ${refusal}.`);
  if (!hasInstallation(dataDir))
    throw new Problem(`${dataDir} contains no installation; expected the data folder of the running version.`);
  say(`upgrade from ${old} to ${next}, data in ${dataDir}`);
  await stopFleet(dataDir);
  say('stopped');
  const saved = join(dataDir, SAVE_FOLDER);
  try {
    await save(dataDir, saved);
    say(`saved to ${saved}`);
    await migrateData(dataDir, say);
    await startFleet(to, options);
    say(`version ${next} answers`);
  } catch (error) {
    say(`failed: ${messageOf(error)}`);
    await stopFleet(dataDir);
    await putBack(dataDir, saved);
    await startFleet(from, options);
    throw new Problem(
      `The upgrade failed and was undone; version ${old} runs with its data. Cause: ${messageOf(error)}`,
    );
  }
}

/** Stops the fleet of a data folder, if it runs. */
async function stopFleet(dataDir: string): Promise<void> {
  const [supervisor] = runningProcesses(join(dataDir, 'run.json')).filter(({ name }) => name === 'supervisor');
  if (supervisor === undefined) return;
  process.kill(supervisor.pid, 'SIGTERM');
  for (const deadline = performance.now() + STOP_WITHIN_MS; isAlive(supervisor.pid); await sleep(100)) {
    if (performance.now() > deadline)
      throw new Problem(
        `The running version (process ${supervisor.pid}) did not stop within ${STOP_WITHIN_MS / 1000} s.`,
      );
  }
}

async function save(dataDir: string, saved: string): Promise<void> {
  const half = `${saved}.new`;
  rmSync(half, { recursive: true, force: true });
  mkdirSync(half, { mode: 0o700 });
  for (const name of SAVED.filter((one) => existsSync(join(dataDir, one))))
    await runToEnd(['cp', '-a', '--reflink=auto', join(dataDir, name), half], { withinMs: 3_600_000 });
  rmSync(saved, { recursive: true, force: true });
  renameSync(half, saved);
}

/** Puts saved data in the place of the present ones. The saved copy is kept. */
async function putBack(dataDir: string, saved: string): Promise<void> {
  if (!existsSync(saved)) return; // the copy failed: nothing was changed
  for (const name of SAVED.filter((one) => existsSync(join(saved, one)))) {
    rmSync(join(dataDir, name), { recursive: true, force: true });
    await runToEnd(['cp', '-a', '--reflink=auto', join(saved, name), dataDir], { withinMs: 3_600_000 });
  }
}

async function migrateData(dataDir: string, say: (line: string) => void): Promise<void> {
  const installation = await openDataFolder(dataDir);
  try {
    const migrated = await migrate(installation.databaseUrl, { scratchDir: join(dataDir, 'tmp') });
    say(migrated.length === 0 ? 'no migration is pending' : `migrated ${migrated.join(', ')}`);
  } finally {
    await installation.close();
  }
}

/** Starts a version, which continues to run, and resolves when it answers a request with the stored key. */
async function startFleet(
  folder: string,
  { dataDir, port, startWithinMs = START_WITHIN_MS }: UpgradeOptions,
): Promise<void> {
  const log = openSync(join(dataDir, 'logs/start.log'), 'a', 0o600);
  const child = spawn('npm', ['start', '--', '--port', String(port)], {
    cwd: folder,
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...process.env, TIDEMARK_DATA_DIR: dataDir },
  });
  let ended: string | undefined;
  child.once('error', (error) => (ended = error.message));
  child.once('exit', (code, signal) => (ended = `it ended with ${signal ?? `exit code ${code}`}`));
  child.unref();
  const url = `http://127.0.0.1:${port}`;
  for (const deadline = performance.now() + startWithinMs; !(await responds(url, dataDir)); await sleep(500)) {
    const why =
      ended ?? (performance.now() > deadline ? `it did not answer within ${startWithinMs / 1000} s` : undefined);
    if (why !== undefined) throw new Problem(`${folder} did not start: ${why}; its log is ${dataDir}/logs/start.log.`);
  }
}

async function responds(url: string, dataDir: string): Promise<boolean> {
  const { key } = readJson(join(dataDir, 'credentials.json'));
  try {
    const signal = AbortSignal.timeout(5_000);
    const ready = await fetch(`${url}/readyz`, { signal });
    const me = await fetch(`${url}/v1/me`, { signal, headers: { authorization: `Bearer ${String(key)}` } });
    return ready.ok && me.ok;
  } catch {
    return false;
  }
}
