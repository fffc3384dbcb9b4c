import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, Problem } from './problem.ts';
import { signalIfThere } from './processes.ts';

/** Command and readiness check of one process. */
export interface ProcessPlan {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly env: Record<string, string>;
  readonly cwd: string;
  readonly logFile: string;
  /** Opens an IPC channel, by which a Node child detects the end of its parent. */
  readonly ipc?: boolean;
  readonly readyWithinMs: number;
  readonly stopSignal: NodeJS.Signals;
  readonly stopWithinMs: number;
  /** Runs before every start, also before a restart. */
  prepare?(): Promise<void>;
  /** Resolves once the process responds. Repeated if it throws. */
  probe(child: ChildProcess): Promise<void>;
}

export interface SuperviseOptions {
  /** Restart the process if it ends unexpectedly. */
  readonly keepAlive: boolean;
  /** Called when the process id changes, and when a process ended unexpectedly. */
  onChange(): void;
  onUnexpectedEnd(text: string): void;
}

const LOG_SIZE_MAX = 8 * 1024 * 1024;
const RESTART_DELAY_MS = 500;
const RESTARTS_PER_MINUTE_MAX = 5;

/** Supervises one process of the stack: starts, monitors, restarts on the same ports, stops. */
export class Supervised {
  readonly plan: ProcessPlan;
  readonly #options: SuperviseOptions;
  #child: ChildProcess | undefined;
  #keepRunning = false;
  #recentRestarts: number[] = [];

  constructor(plan: ProcessPlan, options: SuperviseOptions) {
    this.plan = plan;
    this.#options = options;
  }

  /** The process id; 0 while it is not running. */
  get pid(): number {
    return this.#isRunning() ? (this.#child?.pid ?? 0) : 0;
  }

  /** Starts the process and resolves once it is ready. */
  async start(): Promise<void> {
    await this.plan.prepare?.();
    const child = this.#spawn();
    this.#child = child;
    const ended = new AbortController();
    child.once('exit', (code, signal) => {
      ended.abort(`ended with ${signal ?? `exit code ${code}`}`);
      this.#onExit(child);
    });
    child.once('error', (error) => ended.abort(`could not be started (${error.message})`));
    this.#options.onChange();
    await this.#untilReady(child, ended.signal);
    this.#keepRunning = true; // only now: the failure of a process that never got ready is reported, not retried
  }

  /** Sends a signal. After a signal that ends the process, resolves when it has ended; it is not restarted until `restart()`. */
  async kill(signal: NodeJS.Signals): Promise<void> {
    const pid = this.pid;
    if (pid === 0) return;
    const pauses = signal === 'SIGSTOP' || signal === 'SIGCONT';
    if (!pauses) this.#keepRunning = false;
    signalIfThere(pid, signal);
    if (!pauses) await this.#hasEnded(this.plan.stopWithinMs);
  }

  /** Ends the process if it runs and starts it again. */
  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Ends the process by its stop signal, and by SIGKILL if it is still running after `stopWithinMs`. */
  async stop(): Promise<void> {
    this.#keepRunning = false;
    const pid = this.pid;
    if (pid === 0) return;
    signalIfThere(pid, this.plan.stopSignal);
    signalIfThere(pid, 'SIGCONT'); // a paused process handles no signal
    if (await this.#hasEnded(this.plan.stopWithinMs)) return;
    signalIfThere(pid, 'SIGKILL');
    await this.#hasEnded(2_000);
  }

  /** Ends the process at once. */
  killNow(): void {
    this.#keepRunning = false;
    if (this.pid !== 0) signalIfThere(this.pid, 'SIGKILL');
  }

  /** Waits for the exit event of the process. @returns false on timeout */
  async #hasEnded(withinMs: number): Promise<boolean> {
    const deadline = performance.now() + withinMs;
    while (this.#isRunning() && performance.now() < deadline) await sleep(10);
    return !this.#isRunning();
  }

  #isRunning(): boolean {
    return this.#child?.pid !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  #spawn(): ChildProcess {
    const { command, env, cwd, logFile, ipc } = this.plan;
    const [program, ...args] = command;
    const log = openLog(logFile);
    try {
      // A separate session: Ctrl-C in the terminal signals the supervisor only, which stops the processes in order.
      return spawn(program, args, {
        cwd,
        env,
        detached: true,
        stdio: ['ignore', log, log, ...(ipc ? (['ipc'] as const) : [])],
      });
    } finally {
      closeSync(log);
    }
  }

  async #untilReady(child: ChildProcess, ended: AbortSignal): Promise<void> {
    const limit = AbortSignal.timeout(this.plan.readyWithinMs);
    const over = rejectOn(AbortSignal.any([ended, limit]));
    let last = 'it did not answer';
    for (;;) {
      try {
        return await Promise.race([this.plan.probe(child), over]);
      } catch (error) {
        if (error instanceof Problem) throw error;
        if (ended.aborted) throw this.#failure(String(ended.reason));
        if (limit.aborted) throw this.#failure(`was not ready within ${this.plan.readyWithinMs / 1000} s (${last})`);
        last = messageOf(error);
      }
      await sleep(40);
    }
  }

  #failure(what: string): Problem {
    const tail = lastLines(this.plan.logFile, 8);
    return new Problem(
      `${this.plan.name} ${what}; its log is ${this.plan.logFile}${tail === '' ? '.' : ` and ends:\n${tail}`}`,
    );
  }

  #onExit(child: ChildProcess): void {
    if (child !== this.#child) return;
    this.#options.onChange();
    if (!this.#keepRunning || !this.#options.keepAlive) return;
    const how = child.signalCode ?? `exit code ${child.exitCode}`;
    const aMinuteAgo = Date.now() - 60_000;
    this.#recentRestarts = [...this.#recentRestarts.filter((at) => at > aMinuteAgo), Date.now()];
    if (this.#recentRestarts.length > RESTARTS_PER_MINUTE_MAX) {
      this.#options.onUnexpectedEnd(
        `ended by itself again (${how}) and is left alone now; its log is ${this.plan.logFile}.`,
      );
      return;
    }
    this.#options.onUnexpectedEnd(`ended by itself (${how}); starting it again.`);
    setTimeout(() => void this.#again(), RESTART_DELAY_MS);
  }

  async #again(): Promise<void> {
    if (!this.#keepRunning || this.#isRunning()) return;
    try {
      await this.start();
    } catch (error) {
      this.#options.onUnexpectedEnd(messageOf(error));
    }
  }
}

function rejectOn(signal: AbortSignal): Promise<never> {
  const rejection = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error(String(signal.reason))), { once: true });
  });
  rejection.catch(() => {}); // it is raced, and may lose
  return rejection;
}

function openLog(file: string): number {
  mkdirSync(dirname(file), { recursive: true });
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LOG_SIZE_MAX) renameSync(file, `${file}.1`);
  return openSync(file, 'a', 0o600);
}

function lastLines(file: string, count: number): string {
  try {
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    return lines
      .slice(-count)
      .map((line) => `      ${line}`)
      .join('\n');
  } catch {
    return '';
  }
}
