import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { ToolResult } from './tools.ts';

export interface EvalTask {
  readonly tool: string;
  readonly path: string;
  readonly url: string;
  /** The truth leaves out the title of the page. */
  readonly omitTitleHeading: boolean;
}

/** The result of a tool, or why there is none. */
export interface EvalReply {
  readonly response?: ToolResult;
  readonly fault?: string;
}

const READER = join(import.meta.dirname, 'reader-process.ts');

/** One process that reads page after page; it is replaced where a page takes longer than the limit. */
class Reader {
  readonly #limitMs: number;
  #child: ChildProcess | undefined;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  async read(task: EvalTask): Promise<EvalReply> {
    this.#child ??= await started();
    const child = this.#child;
    const { promise, resolve } = Promise.withResolvers<EvalReply>();
    const late = setTimeout(() => this.#giveUp(child, resolve, 'time limit'), this.#limitMs);
    const died = () => this.#giveUp(child, resolve, 'process died');
    child.once('message', (reply: EvalReply) => resolve(reply));
    child.once('exit', died);
    child.send(task);
    const reply = await promise;
    clearTimeout(late);
    child.off('exit', died);
    return reply;
  }

  stop(): void {
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }

  #giveUp(child: ChildProcess, resolve: (reply: EvalReply) => void, fault: string): void {
    child.removeAllListeners();
    child.kill('SIGKILL');
    this.#child = undefined;
    resolve({ fault });
  }
}

async function started(): Promise<ChildProcess> {
  const child = fork(READER, { execArgv: ['--conditions=tidemark-source', '--disable-warning=ExperimentalWarning'] });
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve());
    child.once('exit', () => reject(new Error('a reading process did not start')));
  });
  child.removeAllListeners();
  return child;
}

/** Runs the tasks on `processes` processes. @returns one reply per task, in order */
export async function readAll(
  tasks: readonly EvalTask[],
  { processes, limitMs }: { processes: number; limitMs: number },
): Promise<EvalReply[]> {
  const replies: EvalReply[] = tasks.map(() => ({ fault: 'not read' }));
  let next = 0;
  const work = async (): Promise<void> => {
    const reader = new Reader(limitMs);
    for (let at = next++; at < tasks.length; at = next++) {
      const task = tasks[at];
      if (task) replies[at] = await reader.read(task);
    }
    reader.stop();
  };
  await Promise.all(Array.from({ length: processes }, work));
  return replies;
}
