import { LRUCache } from 'lru-cache';

/** Concurrent calls of one connection: at first, and at most. */
const FIRST_CALLS = 8;
const MOST_CALLS = 16;
/** Interval between calls after the first rate limit, and at most, ms. It doubles at each further one and shrinks with each success. */
const FIRST_INTERVAL_MS = 50;
const MOST_INTERVAL_MS = 20_000;
const INTERVAL_DECAY = 0.9;
/** Pause after a failure that states none, ms; doubled with each such failure in a row. */
const FIRST_PAUSE_MS = 1_000;
const MOST_PAUSE_MS = 60_000;
/** Longest pause that a model can demand, ms. */
const MOST_DEMANDED_MS = 10 * 60_000;
/** Time for which a model fails before its pages are stored without values, ms. One call a pause is then still made. */
const OUTAGE_MS = 10 * 60_000;
/** Refusals in a row after which the model is not called for a minute: a client error recurs until the connection is changed. */
const MOST_REFUSALS = 3;
const REFUSED_PAUSE_MS = 60_000;
const MAX_REMEMBERED = 1_000;
const MOST_WAITING = 5_000;

/** Result of a call, as far as it decides when the next one is made. */
export type CallOutcome =
  | { readonly kind: 'answered' }
  /** The model's service is limiting, unreachable or broken: a later call can succeed. */
  | { readonly kind: 'busy'; readonly isLimited: boolean; readonly retryAfterMs: number | undefined }
  /** Each call is refused, such as for a revoked key, or takes too long. */
  | { readonly kind: 'refused' }
  /** No call was made under the permit. */
  | { readonly kind: 'unused' };

/** A permit for one call, or why there is none. */
export type Permit =
  | { readonly kind: 'permitted'; readonly end: (outcome: CallOutcome) => void }
  /** The model has failed for too long or refused repeatedly. */
  | { readonly kind: 'down' }
  /** The model is not callable before the end of the caller's time. */
  | { readonly kind: 'late' }
  /** Too many calls wait for the model. */
  | { readonly kind: 'full' };

interface Waiting {
  readonly resolve: (permit: Permit) => void;
  readonly untilMs: number;
}

interface State {
  limit: number;
  running: number;
  intervalMs: number;
  startedAtMs: number;
  closedUntilMs: number;
  /** Failures in a row, and the time of the first. */
  failures: number;
  failingSinceMs: number;
  /** Of these failures, those that stated no pause. */
  unstated: number;
  refusals: number;
  timer: NodeJS.Timeout | undefined;
  readonly waiting: Waiting[];
}

/**
 * Paces the calls of the models of connections, per instance. A connection has a limit of concurrent calls and an interval between calls, which
 * are learned: a rate limit halves the first and doubles the second, successes restore them (additive increase, multiplicative decrease). After
 * a failure no call is made for the time of Retry-After, or else for a growing pause; one call is then tried. Callers wait in order meanwhile.
 */
export class ModelPace {
  readonly #nowMs: () => number;
  readonly #states = new LRUCache<string, State>({ max: MAX_REMEMBERED });

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Waits for a permit until `untilMs`, in order of the calls. @throws the reason of the signal */
  async acquire(
    key: string,
    { untilMs, signal }: { readonly untilMs: number; readonly signal: AbortSignal },
  ): Promise<Permit> {
    signal.throwIfAborted();
    const state = this.#stateOf(key);
    if (this.#isDown(state)) return { kind: 'down' };
    if (state.waiting.length >= MOST_WAITING) return { kind: 'full' };
    const { promise, resolve, reject } = Promise.withResolvers<Permit>();
    const waiting = { resolve, untilMs };
    const leave = (): void => {
      const at = state.waiting.indexOf(waiting);
      if (at >= 0) state.waiting.splice(at, 1);
      reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    state.waiting.push(waiting);
    this.#admit(state);
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  #stateOf(key: string): State {
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    const state: State = {
      limit: FIRST_CALLS,
      running: 0,
      intervalMs: 0,
      startedAtMs: Number.NEGATIVE_INFINITY,
      closedUntilMs: 0,
      failures: 0,
      failingSinceMs: 0,
      unstated: 0,
      refusals: 0,
      timer: undefined,
      waiting: [],
    };
    this.#states.set(key, state);
    return state;
  }

  /** Whether calls fail at once. A call is permitted when a pause ends, so that a recovery is noticed. */
  #isDown({ refusals, failures, failingSinceMs, closedUntilMs }: State): boolean {
    const now = this.#nowMs();
    if (closedUntilMs <= now) return false;
    return refusals >= MOST_REFUSALS || (failures > 0 && now - failingSinceMs >= OUTAGE_MS);
  }

  /** Gives permits in order, ends waits that are too late, and sets the time of the next check. */
  #admit(state: State): void {
    if (state.timer !== undefined) clearTimeout(state.timer);
    state.timer = undefined;
    const now = this.#nowMs();
    if (this.#isDown(state)) {
      for (const { resolve } of state.waiting.splice(0)) resolve({ kind: 'down' });
      return;
    }
    // One call is tried after a failure.
    const isDoubtful = state.failures > 0 || state.refusals >= MOST_REFUSALS;
    const most = isDoubtful ? 1 : Math.floor(state.limit);
    const opensAtMs = Math.max(state.closedUntilMs, state.startedAtMs + state.intervalMs);
    const late = state.waiting.filter(({ untilMs }) => untilMs <= Math.max(now, opensAtMs));
    for (const one of late) {
      state.waiting.splice(state.waiting.indexOf(one), 1);
      one.resolve({ kind: 'late' });
    }
    if (state.waiting.length === 0) return;
    if (opensAtMs <= now && state.running < most) {
      state.running += 1;
      state.startedAtMs = now;
      state.waiting.shift()?.resolve({ kind: 'permitted', end: this.#endOf(state) });
      if (state.intervalMs === 0) {
        this.#admit(state);
        return;
      }
    }
    const nextMs = Math.max(opensAtMs, state.startedAtMs + state.intervalMs);
    const wakeAtMs = Math.min(
      nextMs > now && state.running < most ? nextMs : Number.POSITIVE_INFINITY,
      ...state.waiting.map(({ untilMs }) => untilMs),
    );
    if (Number.isFinite(wakeAtMs)) {
      state.timer = setTimeout(() => this.#admit(state), Math.max(1, Math.ceil(wakeAtMs - now)));
      state.timer.unref();
    }
  }

  /** Returns the function that ends a call, once. */
  #endOf(state: State): (outcome: CallOutcome) => void {
    let isEnded = false;
    return (outcome) => {
      if (isEnded) return;
      isEnded = true;
      state.running -= 1;
      this.#record(state, outcome);
      this.#admit(state);
    };
  }

  #record(state: State, outcome: CallOutcome): void {
    if (outcome.kind === 'unused') return;
    const now = this.#nowMs();
    if (outcome.kind === 'answered') {
      state.failures = 0;
      state.unstated = 0;
      state.refusals = 0;
      state.closedUntilMs = 0;
      state.limit = Math.min(MOST_CALLS, state.limit + 1 / state.limit);
      const intervalMs = state.intervalMs * INTERVAL_DECAY;
      state.intervalMs = intervalMs < FIRST_INTERVAL_MS / 2 ? 0 : intervalMs;
      return;
    }
    if (outcome.kind === 'refused') {
      state.refusals += 1;
      if (state.refusals >= MOST_REFUSALS) state.closedUntilMs = now + REFUSED_PAUSE_MS;
      return;
    }
    // Calls that were in progress at the first failure belong to the same one.
    if (state.failures > 0 && state.closedUntilMs > now) {
      const { retryAfterMs = 0 } = outcome;
      state.closedUntilMs = Math.max(state.closedUntilMs, now + Math.min(retryAfterMs, MOST_DEMANDED_MS));
      return;
    }
    if (state.failures === 0) state.failingSinceMs = now;
    state.failures += 1;
    if (outcome.retryAfterMs === undefined) state.unstated += 1;
    const pauseMs = Math.min(MOST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (state.unstated - 1));
    state.closedUntilMs = now + Math.min(outcome.retryAfterMs ?? pauseMs, MOST_DEMANDED_MS);
    if (!outcome.isLimited) return;
    state.limit = Math.max(1, state.limit / 2);
    state.intervalMs = Math.min(MOST_INTERVAL_MS, Math.max(FIRST_INTERVAL_MS, state.intervalMs * 2));
  }
}
