/** The order in which the tasks of a pool are served. Every task that `take` returns ends with `finish` or `putBack`. */
export interface TaskQueue<Task> {
  readonly size: number;
  push(task: Task): void;
  /** Removes and returns the next task. */
  take(): Task | undefined;
  /** Removes a task that waits. Returns false if it does not. */
  remove(task: Task): boolean;
  /** Returns a task that was taken and not started to the front. */
  putBack(task: Task): void;
  /** Ends a task that was taken, with the CPU time that it used, ms. */
  finish(task: Task, cpuMs: number): void;
  /** Whether the next task may be sent to a busy thread, where it waits for the task that runs. */
  mayPostBehind(): boolean;
}
