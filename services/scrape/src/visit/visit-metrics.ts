import { counter, durations } from '@tidemark/service';
import type { Captured } from '../capture/capture-deps.ts';

const countPage = counter('tidemark_pages', {
  description: 'Captured pages by purpose (scrape, batch, run, recapture), engine and verdict',
});
const recordCapture = durations(
  'tidemark_capture_duration_seconds',
  'Time of a page from its first wait for the host to its result, with waits and repetitions',
);
const recordStage = durations('tidemark_capture_stage_seconds', 'Time of a page in one stage of its capture');

/** Records a captured page. */
export function recordVisit(kind: string, { row }: Pick<Captured, 'row'>, startedAtMs: number): void {
  const engine = row.tier ?? 'none';
  countPage({ kind, engine, verdict: row.verdict });
  recordCapture({ kind, engine }, (performance.now() - startedAtMs) / 1_000);
  for (const [stage, ms] of Object.entries(row.timingsMs)) recordStage({ stage, engine }, ms / 1_000);
}
