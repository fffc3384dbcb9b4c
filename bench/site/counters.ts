/** Number of milliseconds after a Retry-After that still count as kept: clocks and timers differ by some. */
const EARLY_MS = 20;

/** What a host saw since the last reset. */
export interface SiteStats {
  readonly requests: number;
  readonly bytes: number;
  readonly byKind: Readonly<Record<string, number>>;
  /** Requests beyond the first, over all URLs. */
  readonly repeated: number;
  readonly notModified: number;
  readonly limited429: number;
  /** 503 responses of the flaky pages. */
  readonly flaky503: number;
  /** Requests to the limited section before a Retry-After had passed. */
  readonly limitedTooSoon: number;
  /** Requests for pages sooner than the Crawl-delay after the one before. */
  readonly crawlDelayTooSoon: number;
  readonly robotsViolations: number;
  /** Requests for pages of the endless sections. */
  readonly trapped: number;
  readonly inFlight: number;
  readonly peakInFlight: number;
  /** Time of the last request, ms of the epoch. */
  readonly lastAtMs: number;
}

/** Counts the requests of one host. */
export class Counters {
  #requests = 0;
  #bytes = 0;
  #notModified = 0;
  #limited = 0;
  #flaky = 0;
  #limitedTooSoon = 0;
  #crawlDelayTooSoon = 0;
  #inFlight = 0;
  #peakInFlight = 0;
  #lastAtMs = 0;
  #lastPageAtMs = 0;
  #retryAtMs = 0;
  readonly #byKind = new Map<string, number>();
  readonly #byPath = new Map<string, number>();
  /** Status of the last response, by path. */
  readonly #answered = new Map<string, number>();

  /** Counts a request. @returns how often the path was requested before */
  start(path: string, kind: string, nowMs: number, crawlDelayMs: number): number {
    this.#requests += 1;
    this.#lastAtMs = nowMs;
    this.#inFlight += 1;
    this.#peakInFlight = Math.max(this.#peakInFlight, this.#inFlight);
    this.#byKind.set(kind, (this.#byKind.get(kind) ?? 0) + 1);
    if (nowMs - this.#lastPageAtMs < crawlDelayMs - EARLY_MS) this.#crawlDelayTooSoon += 1;
    this.#lastPageAtMs = nowMs;
    const before = this.#byPath.get(path) ?? 0;
    this.#byPath.set(path, before + 1);
    return before;
  }

  end(path: string, status: number, bytes: number): void {
    this.#inFlight -= 1;
    this.#bytes += bytes;
    if (status === 304) this.#notModified += 1;
    if (status !== 429 && status !== 503) this.#answered.set(path, status);
  }

  /** Counts a request to the limited section. */
  limited(nowMs: number, retryAfterMs: number | undefined): void {
    if (nowMs < this.#retryAtMs - EARLY_MS) this.#limitedTooSoon += 1;
    if (retryAfterMs === undefined) return;
    this.#limited += 1;
    this.#retryAtMs = nowMs + retryAfterMs;
  }

  countFlaky(): void {
    this.#flaky += 1;
  }

  /** Returns whether a path was answered otherwise than with 429 or 503. */
  hasAnswered(path: string): boolean {
    return this.#answered.has(path);
  }

  /** Requests by path. */
  get byPath(): ReadonlyMap<string, number> {
    return this.#byPath;
  }

  get stats(): SiteStats {
    return {
      requests: this.#requests,
      bytes: this.#bytes,
      byKind: Object.fromEntries(this.#byKind),
      repeated: this.#requests - this.#byPath.size,
      notModified: this.#notModified,
      limited429: this.#limited,
      flaky503: this.#flaky,
      limitedTooSoon: this.#limitedTooSoon,
      crawlDelayTooSoon: this.#crawlDelayTooSoon,
      robotsViolations: this.#byKind.get('private') ?? 0,
      trapped: this.#byKind.get('trap') ?? 0,
      inFlight: this.#inFlight,
      peakInFlight: this.#peakInFlight,
      lastAtMs: this.#lastAtMs,
    };
  }
}

/** A token bucket: `rate` requests a second, with the same burst. */
export class RateLimit {
  readonly #rate: number;
  #tokens: number;
  #atMs = 0;

  constructor(rate: number) {
    this.#rate = rate;
    this.#tokens = Math.max(1, rate);
  }

  /** Takes a token. @returns milliseconds until there is one again, or undefined where one was taken */
  take(nowMs: number): number | undefined {
    const refilled = ((nowMs - this.#atMs) / 1_000) * this.#rate;
    this.#tokens = Math.min(Math.max(1, this.#rate), this.#tokens + refilled);
    this.#atMs = nowMs;
    if (this.#tokens < 1) return Math.max(1_000, Math.ceil((1 - this.#tokens) / this.#rate) * 1_000);
    this.#tokens -= 1;
    return undefined;
  }
}
