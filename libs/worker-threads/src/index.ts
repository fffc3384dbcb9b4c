export { RankedQueue } from './ranked-queue.ts';
export { serveTasks } from './serve-tasks.ts';
export type { TaskQueue } from './task-queue.ts';
export { type FailureKind, ThreadFailure } from './thread-failure.ts';
export { type PoolTask, type TaskOptions, ThreadPool, type ThreadPoolOptions } from './thread-pool.ts';
export { workerModule } from './worker-module.ts';
export type { Posting, ThreadLimits, TimeLimit } from './worker-thread.ts';
