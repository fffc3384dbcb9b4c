import { parentPort } from 'node:worker_threads';
import { messageOf } from '@tidemark/errors';
import type { PostedRequest, ThreadMessage } from './thread-message.ts';

/**
 * Runs the tasks that the pool of this worker thread sends, one after the other. An exception fails its task only.
 *
 * @param accept called when a task arrives, possibly while an earlier one runs, so that input can be loaded ahead;
 * returns the work itself. `report` sends an interim result.
 * @param transferOf the buffers of a result that are transferred instead of copied
 */
export function serveTasks<Request, Result, Interim = never>(
  accept: (request: Request, report: (interim: Interim) => void) => () => Result | Promise<Result>,
  transferOf: (result: Result) => ArrayBuffer[] = () => [],
): void {
  const port = parentPort;
  if (port === null) throw new Error('this module runs in a worker thread');
  const post = (message: ThreadMessage<Result, Interim>, transfer: ArrayBuffer[] = []): void =>
    port.postMessage(message, transfer);

  const run = async (id: number, work: () => Result | Promise<Result>): Promise<void> => {
    try {
      const result = await work();
      post({ kind: 'result', id, result, cpuMs: threadCpuMs() }, transferOf(result));
    } catch (error) {
      post({ kind: 'error', id, message: messageOf(error), cpuMs: threadCpuMs() });
    }
  };

  let last = Promise.resolve();
  port.on('message', ({ id, request }: PostedRequest<Request>) => {
    const work = accept(request, (interim) => post({ kind: 'interim', id, interim }));
    last = last.then(() => run(id, work));
  });
  post({ kind: 'ready', cpuMs: threadCpuMs() });
}

/** CPU time of this thread since its start, ms. */
function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
