import { isTurn, type Pace, type PaceKeeper, type Turn, type Wait } from './pace-keeper.ts';

export type { Pace, PaceKeeper } from './pace-keeper.ts';

/** How soon a host is looked at again that is to be asked later; one that is held is not let go before its time. */
const LOOK_AGAIN_MS = 1_000;
const HELD_LOOK_MS = 5_000;

interface Waiter {
  readonly signal: AbortSignal;
  readonly onWait: (wait: Wait) => void;
  readonly settle: (answer: Turn | Wait | undefined) => void;
}

/** Those of this process who wait for a host, under one pace: one of them asks for all, and they are served as they came. */
interface Line {
  readonly waiters: Set<Waiter>;
  isServed: boolean;
  /** What the last look said, for those who come before the next. */
  told: { readonly wait: Wait; readonly endsAtMs: number } | undefined;
  wake: () => void;
}

/** One look at a busy host for everyone who waits here, rather than one each. */
const lines = new WeakMap<PaceKeeper, Map<string, Map<string, Line>>>();

/**
 * Waits for a turn at the host. @returns undefined where `signal` came first; why there will be none where the host is given up
 * and the caller wants to know
 */
export async function turnOrGivenUp(
  keeper: PaceKeeper,
  host: string,
  pace: Pace,
  { signal, onWait }: { readonly signal: AbortSignal; readonly onWait: (wait: Wait) => void },
): Promise<Turn | Wait | undefined> {
  if (signal.aborted) return undefined;
  return new Promise((resolve) => {
    const line = lineOf(keeper, host, pace);
    const settle = (answer: Turn | Wait | undefined) => {
      line.waiters.delete(waiter);
      signal.removeEventListener('abort', gone);
      resolve(answer);
    };
    const gone = () => {
      settle(undefined);
      line.wake();
    };
    const waiter: Waiter = { signal, onWait, settle };
    signal.addEventListener('abort', gone, { once: true });
    line.waiters.add(waiter);
    const { told } = line;
    if (told !== undefined && told.endsAtMs > performance.now())
      onWait({ ...told.wait, ms: told.endsAtMs - performance.now() });
    if (!line.isServed) void serve(keeper, host, pace, line);
  });
}

/** Waits for a turn at the host, however long that takes. @returns undefined where `signal` came first */
export async function turnAt(
  keeper: PaceKeeper,
  host: string,
  pace: Pace,
  signal: AbortSignal,
): Promise<Turn | undefined> {
  for (;;) {
    const answer = await turnOrGivenUp(keeper, host, pace, { signal, onWait: () => undefined });
    if (answer === undefined || isTurn(answer)) return answer;
    await pause(Math.min(HELD_LOOK_MS, answer.ms), signal);
  }
}

/** Asks for whoever stands first, until nobody waits. Never rejects: a keeper that can't be asked is asked again. */
async function serve(keeper: PaceKeeper, host: string, pace: Pace, line: Line): Promise<void> {
  line.isServed = true;
  while (line.waiters.size > 0) {
    const answer = await keeper.ask(host, pace).catch((): Wait => ({ ms: LOOK_AGAIN_MS }));
    const [first] = line.waiters;
    if (isTurn(answer)) {
      const turn = announced(keeper, host, answer);
      // Everyone may have left meanwhile.
      if (first === undefined) await turn.done();
      else first.settle(turn);
      continue;
    }
    line.told = { wait: answer, endsAtMs: performance.now() + answer.ms };
    for (const waiter of [...line.waiters]) {
      if (answer.isGivenUp === true) waiter.settle(answer);
      else waiter.onWait(answer);
    }
    if (line.waiters.size > 0) await napIn(line, answer);
  }
  dropLine(keeper, host, pace);
}

/** A turn whose end is heard by those who wait for the host in this process. */
const announced = (keeper: PaceKeeper, host: string, turn: Turn): Turn => ({
  async done(outcome) {
    try {
      return await turn.done(outcome);
    } finally {
      for (const line of lines.get(keeper)?.get(host)?.values() ?? []) line.wake();
    }
  },
});

function napIn(line: Line, { ms, why }: Wait): Promise<void> {
  const forMs = Math.min(why === undefined ? LOOK_AGAIN_MS : HELD_LOOK_MS, Math.max(5, ms));
  return new Promise((resolve) => {
    const timer = setTimeout(end, forMs);
    function end(): void {
      clearTimeout(timer);
      line.wake = () => undefined;
      resolve();
    }
    // Where a start is due later, no end of a fetch brings it nearer.
    line.wake = () => {
      if (ms <= LOOK_AGAIN_MS || line.waiters.size === 0) end();
    };
  });
}

const paceKey = ({ concurrency, delayMs }: Pace): string => `${concurrency} ${delayMs}`;

function lineOf(keeper: PaceKeeper, host: string, pace: Pace): Line {
  const hosts = lines.get(keeper) ?? new Map<string, Map<string, Line>>();
  lines.set(keeper, hosts);
  const ofHost = hosts.get(host) ?? new Map<string, Line>();
  hosts.set(host, ofHost);
  const line = ofHost.get(paceKey(pace)) ?? newLine();
  ofHost.set(paceKey(pace), line);
  return line;
}

const newLine = (): Line => ({ waiters: new Set(), isServed: false, told: undefined, wake: () => undefined });

function dropLine(keeper: PaceKeeper, host: string, pace: Pace): void {
  const hosts = lines.get(keeper);
  hosts?.get(host)?.delete(paceKey(pace));
  if (hosts?.get(host)?.size === 0) hosts.delete(host);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    if (signal.aborted) return resolve();
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end, { once: true });
  });
}
