/**
 * How the latency of a host slows its requests, as Scrapy's AutoThrottle does: the delay between two starts moves toward
 * latency / target concurrency. The target falls from the requested concurrency to 1 as the latency rises above what is
 * usual for the host. The scripts of `RedisHostLimiter` implement the same rules with the same constants.
 */
export const LATENCY = {
  /** Latency up to which a host is fast, ms. It is never slowed below this, whatever its usual latency is. */
  fastMs: 500,
  /** A latency up to this multiple of the usual one is normal variation. */
  tolerance: 2,
  /** Share of a new sample in the average: that of the round-trip time in RFC 6298. */
  averageShare: 1 / 8,
  /** A sample counts as at most this multiple of the average, or as `fastMs`, so that one slow page changes nothing. */
  sampleMax: 4,
  /** Share by which the usual latency rises toward a higher average: a host that is slow for good is not slowed without end. */
  usualRise: 1 / 500,
  /** Longest delay that latency causes, ms. */
  maxDelayMs: 10_000,
} as const;

/** Latency of a host, ms. */
export interface LatencyState {
  /** Average of the last responses. */
  readonly averageMs: number;
  /** What is usual: the lowest average, which rises slowly. */
  readonly usualMs: number;
}

/** Latency of one response. */
export interface LatencySample {
  readonly ms: number;
  /** A response with an error status: often faster than a page, so that it never lowers the average. */
  readonly isError: boolean;
}

/** Returns the state after one more response. */
export function withSample(state: LatencyState | undefined, { ms, isError }: LatencySample): LatencyState | undefined {
  if (state === undefined) return isError ? undefined : { averageMs: ms, usualMs: ms };
  const { averageMs, usualMs } = state;
  if (isError && ms <= averageMs) return state;
  const bounded = Math.min(ms, Math.max(LATENCY.fastMs, LATENCY.sampleMax * averageMs));
  const next = averageMs + (bounded - averageMs) * LATENCY.averageShare;
  return { averageMs: next, usualMs: Math.min(next, usualMs + Math.max(0, next - usualMs) * LATENCY.usualRise) };
}

/** Returns the delay between two starts that the latency of a host requires, ms; 0: none. */
export function latencyDelayMs(state: LatencyState | undefined, concurrency: number): number {
  if (state === undefined) return 0;
  const { averageMs, usualMs } = state;
  const normalMs = Math.max(LATENCY.fastMs, LATENCY.tolerance * usualMs);
  if (averageMs <= normalMs) return 0;
  const target = Math.max(1, (concurrency * normalMs) / averageMs);
  return Math.min(LATENCY.maxDelayMs, averageMs / target);
}
