import { LRUCache } from 'lru-cache';
import type { HostReport } from './host-health.ts';
import { type HostLimiter, type HostState, isPermit, type Pace, type Permit, type Wait } from './host-limiter.ts';
import { LATENCY } from './latency.ts';

/**
 * Maximum time between two acquisitions of a host, ms. Bounds the delay until a hold by another process takes effect.
 */
const MAX_UNCHECKED_MS = 250;
/** Maximum age of a reused permit, ms. With one more capture it must not outlive its lease. */
const MAX_PERMIT_AGE_MS = 20_000;
/** Time that a released permit waits for its next page, ms: longer than a busy event loop takes to start one. */
const SPARE_MS = 15;
const HOSTS_MAX = 10_000;

/** An acquired permit. */
interface HeldPermit {
  readonly host: string;
  readonly paceKey: string;
  readonly isReusable: boolean;
  readonly permit: Permit;
  readonly atMs: number;
}

/** A permit between two pages. */
interface Spare {
  /** Releases it. */
  readonly timer: NodeJS.Timeout;
  /** What its last page reported. */
  readonly report: HostReport;
}

interface Host {
  /** Permits between two pages, by pace. */
  readonly spares: Map<string, Map<HeldPermit, Spare>>;
  /** Time of the last acquisition. */
  acquiredAtMs: number;
  /** Permits of this process, in use or spare. */
  permits: number;
}

/**
 * Passes permits on inside a process, from a finished page to the next page that waits for the same host at the same
 * pace. This saves a round trip to Redis for the release and for the acquisition. Hosts that are held, have failed, are
 * slow or require a delay always use the limiter.
 */
export class PermitReuse implements HostLimiter {
  readonly #limiter: HostLimiter;
  readonly #now: () => number;
  readonly #hosts = new Map<string, Host>();
  /**
   * Hosts with a failed fetch of this process. Their next response is reported, because failures are counted between
   * responses.
   */
  readonly #failed = new LRUCache<string, true>({ max: HOSTS_MAX });

  /** `now`: milliseconds from any fixed point. */
  constructor(limiter: HostLimiter, now: () => number = () => performance.now()) {
    this.#limiter = limiter;
    this.#now = now;
  }

  async acquire(name: string, pace: Pace): Promise<Permit | Wait> {
    const paceKey = `${pace.concurrency} ${pace.delayMs}`;
    const spare = this.#takeSpare(name, paceKey);
    if (spare !== undefined) return this.#permitOf(spare);
    const response = await this.#limiter.acquire(name, pace);
    if (!isPermit(response)) {
      // A hold or failure of the host is significant; being busy is not.
      if (response.why !== undefined) this.#stopReuse(name);
      return response;
    }
    const host = this.#hosts.get(name) ?? { spares: new Map(), acquiredAtMs: 0, permits: 0 };
    this.#hosts.set(name, host);
    host.permits += 1;
    host.acquiredAtMs = this.#now();
    const isReusable = response.delayMs === 0;
    return this.#permitOf({ host: name, paceKey, isReusable, permit: response, atMs: host.acquiredAtMs });
  }

  async hold(name: string, ms: number, why?: string): Promise<void> {
    this.#stopReuse(name);
    await this.#limiter.hold(name, ms, why);
  }

  #permitOf(held: HeldPermit): Permit {
    return {
      delayMs: held.permit.delayMs,
      release: async (report) => {
        if (report === undefined || !isFast(report) || !this.#canReuse(held)) return this.#release(held, report);
        this.#spare(held, report);
        return 'up';
      },
    };
  }

  #canReuse({ host, isReusable, atMs }: HeldPermit): boolean {
    const nowMs = this.#now();
    const acquiredAtMs = this.#hosts.get(host)?.acquiredAtMs ?? Number.NEGATIVE_INFINITY;
    if (!isReusable || this.#failed.has(host)) return false;
    return nowMs - acquiredAtMs < MAX_UNCHECKED_MS && nowMs - atMs < MAX_PERMIT_AGE_MS;
  }

  #spare(held: HeldPermit, report: HostReport): void {
    const spares = this.#hosts.get(held.host)?.spares;
    const samePace = spares?.get(held.paceKey) ?? new Map<HeldPermit, Spare>();
    spares?.set(held.paceKey, samePace);
    const timer = setTimeout(() => {
      samePace.delete(held);
      void this.#release(held, report);
    }, SPARE_MS);
    samePace.set(held, { timer, report });
  }

  #takeSpare(name: string, paceKey: string): HeldPermit | undefined {
    const samePace = this.#hosts.get(name)?.spares.get(paceKey);
    const [first] = samePace ?? [];
    if (samePace === undefined || first === undefined || !this.#canReuse(first[0])) return undefined;
    const [held, { timer }] = first;
    clearTimeout(timer);
    samePace.delete(held);
    return held;
  }

  async #release(held: HeldPermit, report: HostReport | undefined): Promise<HostState> {
    if (report?.kind === 'answered') this.#failed.delete(held.host);
    else if (report?.kind === 'failed') this.#failed.set(held.host, true);
    const state = await held.permit.release(report);
    if (state !== 'up') this.#stopReuse(held.host);
    const host = this.#hosts.get(held.host);
    if (host !== undefined) {
      host.permits -= 1;
      if (host.permits === 0) this.#hosts.delete(held.host);
    }
    return state;
  }

  /** Stops reuse for the host until the next successful acquisition. */
  #stopReuse(name: string): void {
    const host = this.#hosts.get(name);
    if (host !== undefined) host.acquiredAtMs = Number.NEGATIVE_INFINITY;
  }
}

/** Returns true for a response whose latency needs no report: every slow one is reported to the limiter. */
const isFast = ({ kind, latency }: HostReport): boolean =>
  kind === 'answered' && (latency === undefined || latency.ms < LATENCY.fastMs);
