import { type Pace, type PaceKeeper, TURN_MS, type Turn } from './host-pace.ts';

interface Host {
  readonly busy: Map<number, number>;
  nextAtMs: number;
}

/** A concurrency-bound wait has no known end; this is how soon it is looked at again. */
const BUSY_MS = 25;
const HOSTS_MAX = 10_000;

/** The pace of hosts as one process keeps it: all there is without Redis, and what is left where Redis is away. */
export class LocalPace implements PaceKeeper {
  readonly #now: () => number;
  readonly #hosts = new Map<string, Host>();
  #turns = 0;

  /** `now`: milliseconds from any fixed point. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  async ask(name: string, { concurrency, delayMs }: Pace): Promise<Turn | number> {
    const nowMs = this.#now();
    const host = this.#hostOf(name);
    for (const [turn, endsAtMs] of host.busy) if (endsAtMs <= nowMs) host.busy.delete(turn);
    if (host.nextAtMs > nowMs) return host.nextAtMs - nowMs;
    if (host.busy.size >= concurrency) return BUSY_MS;
    this.#turns += 1;
    const turn = this.#turns;
    host.busy.set(turn, nowMs + TURN_MS);
    host.nextAtMs = nowMs + delayMs;
    return { done: async () => void host.busy.delete(turn) };
  }

  async hold(name: string, ms: number): Promise<void> {
    const host = this.#hostOf(name);
    host.nextAtMs = Math.max(host.nextAtMs, this.#now() + ms);
  }

  #hostOf(name: string): Host {
    const known = this.#hosts.get(name);
    if (known !== undefined) return known;
    if (this.#hosts.size >= HOSTS_MAX) this.#forgetIdle();
    const host = { busy: new Map<number, number>(), nextAtMs: 0 };
    this.#hosts.set(name, host);
    return host;
  }

  #forgetIdle(): void {
    const nowMs = this.#now();
    for (const [name, host] of this.#hosts) {
      if (host.busy.size === 0 && host.nextAtMs <= nowMs) this.#hosts.delete(name);
    }
  }
}
