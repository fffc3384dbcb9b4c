import type { TaskQueue } from './task-queue.ts';

/** A queue served by rank, the lowest first, and by arrival among equal ranks. */
export class RankedQueue<Task extends { readonly order: number }> implements TaskQueue<Task> {
  readonly #tasks: Task[] = [];

  get size(): number {
    return this.#tasks.length;
  }

  push(task: Task): void {
    this.#insert(
      task,
      this.#tasks.findIndex(({ order }) => order > task.order),
    );
  }

  take(): Task | undefined {
    return this.#tasks.shift();
  }

  remove(task: Task): boolean {
    const at = this.#tasks.indexOf(task);
    if (at !== -1) this.#tasks.splice(at, 1);
    return at !== -1;
  }

  putBack(task: Task): void {
    this.#insert(
      task,
      this.#tasks.findIndex(({ order }) => order >= task.order),
    );
  }

  finish(): void {}

  mayPostBehind(): boolean {
    return true;
  }

  #insert(task: Task, at: number): void {
    this.#tasks.splice(at === -1 ? this.#tasks.length : at, 0, task);
  }
}
