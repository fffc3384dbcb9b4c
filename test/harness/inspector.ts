import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const PORT = 9229;
const STEP_MS = 50;
const OPEN_WITHIN_MS = 60_000;
const PID_WITHIN_MS = 5_000;
const RESPONSE_WITHIN_MS = 60_000;
const CLOSE_SOON = 'setTimeout(() => process.getBuiltinModule("inspector").close(), 200)';

/** JavaScript heaps of one process after a collection, its worker threads included. */
export interface Heaps {
  readonly isolates: number;
  readonly usedBytes: number;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly params?: { readonly sessionId?: string; readonly message?: string; readonly chunk?: string };
}

/** A connection of the Chrome DevTools protocol: the main thread, or one worker through it. */
interface Session {
  call(method: string, params?: object, withinMs?: number): Promise<Readonly<Record<string, unknown>>>;
}

async function openSocket(pid: number): Promise<WebSocket> {
  const until = performance.now() + OPEN_WITHIN_MS;
  let state = 'the port is closed';
  while (performance.now() < until) {
    // Starts the inspector of a Node process; it has no effect where it already runs.
    process.kill(pid, 'SIGUSR1');
    await sleep(STEP_MS);
    const list = await fetch(`http://127.0.0.1:${PORT}/json/list`).then(
      (response) => response.text(),
      () => '[]',
    );
    const targets: readonly { readonly webSocketDebuggerUrl: string }[] = JSON.parse(list);
    const url = targets[0]?.webSocketDebuggerUrl;
    if (url === undefined) continue;
    const socket = await connected(url).catch(() => undefined);
    if (socket === undefined) continue;
    if ((await pidBehind(socket).catch(() => 0)) === pid) return socket;
    // Another process of this machine is being inspected: the port is free again soon.
    state = 'the port belongs to another process';
    socket.close();
  }
  throw new Error(`process ${pid} has no inspector on port ${PORT} after ${OPEN_WITHIN_MS} ms: ${state}`);
}

const connected = (url: string): Promise<WebSocket> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url);
    socket.addEventListener('open', () => resolve(socket), { once: true });
    socket.addEventListener('error', () => reject(new Error(`no inspector at ${url}`)), { once: true });
  });

async function pidBehind(socket: WebSocket): Promise<number> {
  const { result } = await sessionOf(socket).call('Runtime.evaluate', { expression: 'process.pid' }, PID_WITHIN_MS);
  return typeof result === 'object' && result !== null && 'value' in result ? Number(result.value) : 0;
}

/** Sends commands over a socket and matches the responses by their id. */
function sessionOf(socket: WebSocket): Session {
  return session(
    (text) => socket.send(text),
    (listener) => socket.addEventListener('message', ({ data }) => listener(JSON.parse(String(data)))),
  );
}

let lastId = 0;

function session(send: (text: string) => void, listen: (listener: (message: Message) => void) => void): Session {
  const waiting = new Map<number, (result: Readonly<Record<string, unknown>>) => void>();
  listen(({ id, result }) => {
    if (id === undefined) return;
    waiting.get(id)?.(result ?? {});
    waiting.delete(id);
  });
  return {
    call(method, params = {}, withinMs = RESPONSE_WITHIN_MS) {
      lastId += 1;
      const id = lastId;
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`${method} was not answered in ${withinMs} ms`)), withinMs);
        waiting.set(id, (result) => {
          clearTimeout(timer);
          resolve(result);
        });
        send(JSON.stringify({ id, method, params }));
      });
    },
  };
}

/** Returns a session of each worker thread. */
async function workersOf(socket: WebSocket, main: Session): Promise<Session[]> {
  const found: Session[] = [];
  const listeners = new Map<string, (message: Message) => void>();
  socket.addEventListener('message', ({ data }) => {
    const { method, params }: Message = JSON.parse(String(data));
    const id = params?.sessionId ?? '';
    if (method === 'NodeWorker.receivedMessageFromWorker') listeners.get(id)?.(JSON.parse(params?.message ?? '{}'));
    if (method !== 'NodeWorker.attachedToWorker') return;
    found.push(
      session(
        (message) => void main.call('NodeWorker.sendMessageToWorker', { sessionId: id, message }),
        (listener) => void listeners.set(id, listener),
      ),
    );
  });
  // The workers that exist are announced before this command is answered.
  await main.call('NodeWorker.enable', { waitForDebuggerOnStart: false });
  return found;
}

/** Runs commands on the main thread of a Node process and its workers, and closes its inspector again. */
async function inspect<T>(
  pid: number,
  run: (main: Session, workers: readonly Session[], socket: WebSocket) => Promise<T>,
): Promise<T> {
  const socket = await openSocket(pid);
  const main = sessionOf(socket);
  try {
    return await run(main, await workersOf(socket, main), socket);
  } finally {
    // The port is one for the whole machine: the next process needs it. Closing it under an attached worker ends the process.
    await main.call('NodeWorker.disable').catch(() => undefined);
    await main.call('Runtime.evaluate', { expression: CLOSE_SOON }).catch(() => undefined);
    socket.close();
    await closed();
  }
}

/** Collects the garbage of one process of Node, its worker threads included, and returns what remains on the heaps. */
export const collectGarbage = (pid: number): Promise<Heaps> =>
  inspect(pid, async (main, workers) => {
    let usedBytes = 0;
    for (const isolate of [main, ...workers]) {
      await isolate.call('HeapProfiler.collectGarbage');
      const { usedSize } = await isolate.call('Runtime.getHeapUsage');
      usedBytes += Number(usedSize);
    }
    return { isolates: 1 + workers.length, usedBytes };
  });

/** Writes a heap snapshot of the main thread of a Node process, for a comparison of two of them. */
export const writeHeapSnapshot = (pid: number, file: string): Promise<void> =>
  inspect(pid, async (main, _, socket) => {
    const chunks: string[] = [];
    socket.addEventListener('message', ({ data }) => {
      const { method, params }: Message = JSON.parse(String(data));
      if (method === 'HeapProfiler.addHeapSnapshotChunk') chunks.push(params?.chunk ?? '');
    });
    await main.call('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
    writeFileSync(file, chunks.join(''));
  });

/** Resolves when no inspector listens any more. */
async function closed(): Promise<void> {
  const until = performance.now() + OPEN_WITHIN_MS;
  while (performance.now() < until) {
    const listens = await fetch(`http://127.0.0.1:${PORT}/json/version`).then(
      () => true,
      () => false,
    );
    if (!listens) return;
    await sleep(STEP_MS);
  }
}
