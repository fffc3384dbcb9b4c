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
import { type LatencyState, latencyDelayMs, withSample } from './latency.ts';

interface Host {
  readonly busy: Map<number, number>;
  nextAtMs: number;
  hold: { readonly refusal: Omit<Wait, 'ms'>; readonly untilMs: number } | undefined;
  health: Health;
  failedAtMs: number;
  latency: LatencyState | undefined;
  startedAtMs: number;
}

export interface LocalHostLimiterOptions {
  /** Milliseconds from any fixed point. */
  readonly now?: () => number;
  readonly policies?: typeof BACKOFF_POLICIES;
  /** Returns the share of a requested pace that is kept; default: all of it. */
  readonly share?: (pace: Pace) => Pace;
}

const HOSTS_MAX = 10_000;

/** Limits hosts inside one process: without Redis, or while Redis is unavailable. */
export class LocalHostLimiter implements HostLimiter {
  readonly #now: () => number;
  readonly #policies: typeof BACKOFF_POLICIES;
  readonly #share: (pace: Pace) => Pace;
  readonly #hosts = new Map<string, Host>();
  #permits = 0;

  constructor({ now, policies, share }: LocalHostLimiterOptions = {}) {
    this.#now = now ?? (() => performance.now());
    this.#policies = policies ?? BACKOFF_POLICIES;
    this.#share = share ?? ((pace) => pace);
  }

  async acquire(name: string, requested: Pace): Promise<Permit | Wait> {
    const nowMs = this.#now();
    const pace = this.#share(requested);
    const host = this.#hostOf(name);
    for (const [permit, endsAtMs] of host.busy) if (endsAtMs <= nowMs) host.busy.delete(permit);
    if (host.nextAtMs > nowMs) {
      const { hold } = host;
      return { ms: host.nextAtMs - nowMs, ...(hold !== undefined && hold.untilMs > nowMs ? hold.refusal : {}) };
    }
    // A host that failed gets one page at a time until it answers.
    const concurrency = host.health.round > 0 ? 1 : pace.concurrency;
    const delayMs = Math.max(pace.delayMs, latencyDelayMs(host.latency, concurrency));
    if (host.startedAtMs + delayMs > nowMs) return { ms: host.startedAtMs + delayMs - nowMs };
    if (host.busy.size >= concurrency) return { ms: BUSY_MS };
    this.#permits += 1;
    const permit = this.#permits;
    host.busy.set(permit, nowMs + PERMIT_MS);
    host.startedAtMs = nowMs;
    host.nextAtMs = nowMs + delayMs;
    return {
      delayMs,
      release: async (report) => {
        host.busy.delete(permit);
        return this.#report(host, report, nowMs);
      },
    };
  }

  #report(host: Host, report: HostReport | undefined, beganMs: number): HostState {
    if (report === undefined) return 'up';
    if (report.latency !== undefined) host.latency = withSample(host.latency, report.latency);
    if (report.kind === 'unused') {
      host.startedAtMs = Number.NEGATIVE_INFINITY;
      return 'up';
    }
    if (report.kind === 'answered') {
      host.health = HEALTHY;
      return 'up';
    }
    const nowMs = this.#now();
    if (nowMs - host.failedAtMs > HISTORY_MS) host.health = HEALTHY;
    host.failedAtMs = nowMs;
    const next = failedAgain(host.health, this.#policies[report.trouble], beganMs, nowMs);
    host.health = next.health;
    const refusal = { trouble: report.trouble, why: report.why, isGivenUp: next.isGivenUp };
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
    const host: Host = {
      busy: new Map(),
      nextAtMs: 0,
      hold: undefined,
      health: HEALTHY,
      failedAtMs: 0,
      latency: undefined,
      startedAtMs: Number.NEGATIVE_INFINITY,
    };
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
