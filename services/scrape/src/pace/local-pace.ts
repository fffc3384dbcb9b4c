import { BUSY_MS, type HostState, type Pace, type PaceKeeper, TURN_MS, type Turn, type Wait } from './pace-keeper.ts';
import { FORGET_MS, failedAgain, HEALTHY, type Health, type Outcome, PATIENCE } from './patience.ts';

interface Host {
  readonly busy: Map<number, number>;
  nextAtMs: number;
  hold: { readonly told: Omit<Wait, 'ms'>; readonly untilMs: number } | undefined;
  health: Health;
  failedAtMs: number;
}

const HOSTS_MAX = 10_000;

/** The pace of hosts as one process keeps it: all there is without Redis, and what is left where Redis is away. */
export class LocalPace implements PaceKeeper {
  readonly #now: () => number;
  readonly #patience: typeof PATIENCE;
  readonly #hosts = new Map<string, Host>();
  #turns = 0;

  /** `now`: milliseconds from any fixed point. */
  constructor(now: () => number = () => performance.now(), patience = PATIENCE) {
    this.#now = now;
    this.#patience = patience;
  }

  async ask(name: string, { concurrency, delayMs }: Pace): Promise<Turn | Wait> {
    const nowMs = this.#now();
    const host = this.#hostOf(name);
    for (const [turn, endsAtMs] of host.busy) if (endsAtMs <= nowMs) host.busy.delete(turn);
    if (host.nextAtMs > nowMs) {
      const { hold } = host;
      return { ms: host.nextAtMs - nowMs, ...(hold !== undefined && hold.untilMs > nowMs ? hold.told : {}) };
    }
    // A host that failed is asked by one page at a time until it answers.
    if (host.busy.size >= (host.health.round > 0 ? 1 : concurrency)) return { ms: BUSY_MS };
    this.#turns += 1;
    const turn = this.#turns;
    host.busy.set(turn, nowMs + TURN_MS);
    host.nextAtMs = nowMs + delayMs;
    return {
      done: async (outcome) => {
        host.busy.delete(turn);
        return this.#judge(host, outcome, nowMs);
      },
    };
  }

  #judge(host: Host, outcome: Outcome | undefined, beganMs: number): HostState {
    if (outcome === undefined) return 'up';
    if (outcome === 'answered') {
      host.health = HEALTHY;
      return 'up';
    }
    const nowMs = this.#now();
    if (nowMs - host.failedAtMs > FORGET_MS) host.health = HEALTHY;
    host.failedAtMs = nowMs;
    const verdict = failedAgain(host.health, this.#patience[outcome.trouble], beganMs, nowMs);
    host.health = verdict.health;
    const told = { ...outcome, isGivenUp: verdict.isGivenUp };
    if (verdict.holdMs !== undefined) holdHost(host, nowMs + verdict.holdMs, told);
    if (verdict.isGivenUp) return 'given_up';
    return verdict.health.round > 0 ? 'held' : 'up';
  }

  async hold(name: string, ms: number, why = ''): Promise<void> {
    holdHost(this.#hostOf(name), this.#now() + ms, why === '' ? {} : { why });
  }

  #hostOf(name: string): Host {
    const known = this.#hosts.get(name);
    if (known !== undefined) return known;
    if (this.#hosts.size >= HOSTS_MAX) this.#forgetIdle();
    const busy = new Map<number, number>();
    const host: Host = { busy, nextAtMs: 0, hold: undefined, health: HEALTHY, failedAtMs: 0 };
    this.#hosts.set(name, host);
    return host;
  }

  #forgetIdle(): void {
    const nowMs = this.#now();
    for (const [name, host] of this.#hosts) {
      if (host.busy.size === 0 && host.nextAtMs <= nowMs && nowMs - host.failedAtMs > FORGET_MS)
        this.#hosts.delete(name);
    }
  }
}

function holdHost(host: Host, untilMs: number, told: Omit<Wait, 'ms'>): void {
  if (untilMs < host.nextAtMs) return;
  host.nextAtMs = untilMs;
  host.hold = told.why === undefined ? undefined : { told, untilMs };
}
