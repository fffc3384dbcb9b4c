import { BACKOFF_POLICIES, failedAgain, HEALTHY, type Health, HISTORY_MS, type HostReport } from './host-health.ts';
import {
  BUSY_MS,
  type HostLimiter,
  type HostState,
  type Pace,
  PERMIT_MS,
  type Permit,
  type Wait,
} from './host-limiter.ts';

interface Host {
  readonly busy: Map<number, number>;
  nextAtMs: number;
  hold: { readonly refusal: Omit<Wait, 'ms'>; readonly untilMs: number } | undefined;
  health: Health;
  failedAtMs: number;
}

const HOSTS_MAX = 10_000;

/** Limits hosts inside one process: without Redis, or while Redis is unavailable. */
export class LocalHostLimiter implements HostLimiter {
  readonly #now: () => number;
  readonly #policies: typeof BACKOFF_POLICIES;
  readonly #hosts = new Map<string, Host>();
  #permits = 0;

  /** `now`: milliseconds from any fixed point. */
  constructor(now: () => number = () => performance.now(), policies = BACKOFF_POLICIES) {
    this.#now = now;
    this.#policies = policies;
  }

  async acquire(name: string, { concurrency, delayMs }: Pace): Promise<Permit | Wait> {
    const nowMs = this.#now();
    const host = this.#hostOf(name);
    for (const [permit, endsAtMs] of host.busy) if (endsAtMs <= nowMs) host.busy.delete(permit);
    if (host.nextAtMs > nowMs) {
      const { hold } = host;
      return { ms: host.nextAtMs - nowMs, ...(hold !== undefined && hold.untilMs > nowMs ? hold.refusal : {}) };
    }
    // A host that failed gets one page at a time until it answers.
    if (host.busy.size >= (host.health.round > 0 ? 1 : concurrency)) return { ms: BUSY_MS };
    this.#permits += 1;
    const permit = this.#permits;
    host.busy.set(permit, nowMs + PERMIT_MS);
    host.nextAtMs = nowMs + delayMs;
    return {
      release: async (report) => {
        host.busy.delete(permit);
        return this.#report(host, report, nowMs);
      },
    };
  }

  #report(host: Host, report: HostReport | undefined, beganMs: number): HostState {
    if (report === undefined) return 'up';
    if (report === 'answered') {
      host.health = HEALTHY;
      return 'up';
    }
    const nowMs = this.#now();
    if (nowMs - host.failedAtMs > HISTORY_MS) host.health = HEALTHY;
    host.failedAtMs = nowMs;
    const next = failedAgain(host.health, this.#policies[report.trouble], beganMs, nowMs);
    host.health = next.health;
    const refusal = { ...report, isGivenUp: next.isGivenUp };
    if (next.holdMs !== undefined) holdHost(host, nowMs + next.holdMs, refusal);
    if (next.isGivenUp) return 'given_up';
    return next.health.round > 0 ? 'held' : 'up';
  }

  async hold(name: string, ms: number, why = ''): Promise<void> {
    holdHost(this.#hostOf(name), this.#now() + ms, why === '' ? {} : { why });
  }

  #hostOf(name: string): Host {
    const known = this.#hosts.get(name);
    if (known !== undefined) return known;
    if (this.#hosts.size >= HOSTS_MAX) this.#dropIdle();
    const busy = new Map<number, number>();
    const host: Host = { busy, nextAtMs: 0, hold: undefined, health: HEALTHY, failedAtMs: 0 };
    this.#hosts.set(name, host);
    return host;
  }

  #dropIdle(): void {
    const nowMs = this.#now();
    for (const [name, host] of this.#hosts) {
      if (host.busy.size === 0 && host.nextAtMs <= nowMs && nowMs - host.failedAtMs > HISTORY_MS)
        this.#hosts.delete(name);
    }
  }
}

function holdHost(host: Host, untilMs: number, refusal: Omit<Wait, 'ms'>): void {
  if (untilMs < host.nextAtMs) return;
  host.nextAtMs = untilMs;
  host.hold = refusal.why === undefined ? undefined : { refusal, untilMs };
}
