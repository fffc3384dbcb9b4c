import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { choosePorts } from './ports.ts';
import { Problem } from './problem.ts';
import { type Progress, silent } from './progress.ts';
import { writeRunFile } from './run-file.ts';
import { type PortName, servicePorts } from './service-plan.ts';
import type { StackOptions } from './stack-types.ts';
import { type ProcessPlan, Supervised } from './supervise.ts';

export const ROOT = resolve(import.meta.dirname, '../..');

/** The data folder of this machine: TIDEMARK_DATA_DIR, by default `.tidemark` of the release. */
export const defaultDataDir = (): string => resolve(process.env['TIDEMARK_DATA_DIR'] || join(ROOT, '.tidemark'));

/** Downloaded and unpacked programs and caches: the same for every stack of this project folder. */
export const TOOLS_DIR = join(ROOT, '.tidemark/tools');

export type StackPort = PortName | 'postgres' | 'nats' | 'redis' | 'rest' | 'mcp' | 'exit-proxy' | 'sample-site';

/** Makes a data folder that only its owner can enter, and closes one that an earlier version left open. */
export function makeDataFolder(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  chmodSync(dir, 0o700);
}

/** Shared state of the steps that start a stack: its folder, its ports, and the processes started so far. */
export class StackContext {
  readonly dataDir: string;
  readonly port: (name: StackPort) => number;
  readonly progress: Progress;
  readonly #keepAlive: boolean;
  readonly #processes = new Map<string, Supervised>();
  readonly #url: string;
  readonly #signal: AbortSignal | undefined;
  #closed = false;

  private constructor(options: StackOptions, port: (name: StackPort) => number) {
    this.dataDir = resolve(options.dataDir);
    this.port = port;
    this.progress = options.progress ?? silent;
    this.#signal = options.signal;
    this.#keepAlive = options.keepAlive ?? false;
    this.#url = `http://127.0.0.1:${options.port ?? port('rest')}`;
  }

  static async open(options: StackOptions): Promise<StackContext> {
    const dataDir = resolve(options.dataDir);
    // Partial files of earlier runs; a browser profile may be large.
    rmSync(join(dataDir, 'tmp'), { recursive: true, force: true });
    for (const dir of ['.', 'tmp', 'logs', 'blobs']) makeDataFolder(join(dataDir, dir));
    mkdirSync(TOOLS_DIR, { recursive: true });
    const names: StackPort[] = [
      'postgres',
      'nats',
      'redis',
      'rest',
      'mcp',
      'exit-proxy',
      'sample-site',
      ...servicePorts,
    ];
    return new StackContext(options, await choosePorts(join(dataDir, 'ports.json'), names));
  }

  /** The REST API's address. */
  get url(): string {
    return this.#url;
  }

  /** Starts a process and supervises it. */
  async run(plan: ProcessPlan): Promise<Supervised> {
    this.#refuseWhenAborted();
    const supervised = new Supervised(plan, {
      keepAlive: this.#keepAlive,
      onChange: () => this.#remember(),
      onUnexpectedEnd: (text) => this.progress.note(plan.name, text),
    });
    this.#processes.set(plan.name, supervised);
    await supervised.start();
    this.#refuseWhenAborted();
    return supervised;
  }

  #refuseWhenAborted(): void {
    if (this.#signal?.aborted) throw new Problem('The start was called off.');
  }

  /** Stops processes by name, all at once. */
  async stop(names: readonly string[]): Promise<void> {
    await Promise.all(names.map((name) => this.#processes.get(name)?.stop()));
  }

  get processNames(): string[] {
    return [...this.#processes.keys()];
  }

  killNow(): void {
    for (const process of this.#processes.values()) process.killNow();
  }

  /** Deletes the run file, because no process is running. */
  close(): void {
    this.#closed = true;
    rmSync(this.#runFile, { force: true });
  }

  get #runFile(): string {
    return join(this.dataDir, 'run.json');
  }

  #remember(): void {
    if (this.#closed) return;
    writeRunFile(this.#runFile, this.#url, new Map([...this.#processes].map(([name, { pid }]) => [name, pid])));
  }
}
