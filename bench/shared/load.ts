export interface LoadResult {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly errors: number;
  readonly count: number;
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Calls `once` repeatedly on `connections` connections for `seconds` seconds. */
export async function runLoad(
  once: () => Promise<unknown>,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<LoadResult> {
  const times: number[] = [];
  let errors = 0;
  const startedAtMs = performance.now();
  const endsAtMs = startedAtMs + seconds * 1000;
  const worker = async () => {
    while (performance.now() < endsAtMs) {
      const at = performance.now();
      try {
        await once();
        times.push(performance.now() - at);
      } catch (error) {
        errors += 1;
        if (errors === 1) console.error('first error:', error);
        if (errors > 1_000) throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  const elapsedSeconds = (performance.now() - startedAtMs) / 1000;
  times.sort((a, b) => a - b);
  return {
    perSecond: times.length / elapsedSeconds,
    p50Ms: percentile(times, 0.5),
    p95Ms: percentile(times, 0.95),
    p99Ms: percentile(times, 0.99),
    errors,
    count: times.length,
  };
}

export const median = (values: readonly number[]): number =>
  percentile(
    [...values].sort((a, b) => a - b),
    0.5,
  );
