import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { debianPackages, type Program, programOf } from '../../../../deploy/local/parts/debian-packages.ts';
import { dyingWithParent, plainEnv } from '../../../../deploy/local/parts/part.ts';
import { choosePorts } from '../../../../deploy/local/ports.ts';
import { TOOLS_DIR } from '../../../../deploy/local/stack-context.ts';
import { type ProcessPlan, Supervised } from '../../../../deploy/local/supervise.ts';

/** A server that a test started. */
export interface RealServer {
  readonly port: number;
  /** Folder of its data, deleted by `close`. */
  readonly dir: string;
  /** Sends a signal; the process ends. */
  kill(signal: NodeJS.Signals): Promise<void>;
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** What a server needs to start. */
export type ServerPlan = Pick<ProcessPlan, 'command' | 'probe'> & {
  readonly env?: Record<string, string>;
  readonly prepare?: () => Promise<void>;
  readonly stopSignal?: NodeJS.Signals;
};

/** Starts a server on a free port with an empty folder. */
export async function startRealServer(
  name: string,
  planOf: (port: number, dir: string) => Promise<ServerPlan>,
): Promise<RealServer> {
  const dir = mkdtempSync(join(tmpdir(), 'tm-'));
  mkdirSync(join(dir, 'tmp'));
  const port = (await choosePorts(join(dir, 'ports.json'), [name]))(name);
  const plan = await planOf(port, dir);
  const server = new Supervised(
    {
      name,
      command: dyingWithParent('KILL', plan.command),
      env: plainEnv(join(dir, 'tmp'), plan.env),
      cwd: dir,
      logFile: join(dir, `${name}.log`),

      readyWithinMs: 60_000,
      stopSignal: plan.stopSignal ?? 'SIGTERM',
      stopWithinMs: 10_000,
      probe: plan.probe,
      ...(plan.prepare === undefined ? {} : { prepare: plan.prepare }),
    },
    { keepAlive: false, onChange() {}, onUnexpectedEnd() {} },
  );
  await server.start();
  return {
    port,
    dir,
    kill: (signal) => server.kill(signal),
    restart: () => server.restart(),
    async close() {
      await server.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Unpacks Debian packages under the project. @returns their folder */
export const packagesOf = (...names: string[]): Promise<string> => debianPackages(TOOLS_DIR, names, () => undefined);

/** Returns a program of unpacked packages, with the path of its libraries. */
export const packagedProgram = (root: string, path: string): Promise<Program> => programOf(root, path);
