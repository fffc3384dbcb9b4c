import { tracer } from '@tidemark/service';

/** Times the stages of one capture: spans of its trace, and `timingsMs` of its row. */
export class StageClock {
  readonly timings: Record<string, number> = {};

  /** A stage that runs twice, for a page that climbs, counts both times. */
  time<T>(stage: string, run: () => Promise<T>): Promise<T> {
    const startedAtMs = performance.now();
    return tracer.startActiveSpan(`capture ${stage}`, async (span) => {
      try {
        return await run();
      } finally {
        span.end();
        const tookMs = performance.now() - startedAtMs;
        this.timings[stage] = Math.round(((this.timings[stage] ?? 0) + tookMs) * 100) / 100;
      }
    });
  }
}
