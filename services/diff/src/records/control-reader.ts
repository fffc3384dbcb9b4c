import { observationOf, type PageReading } from '../domain/page-reading.ts';
import type { RecapturePage } from '../readings/recapture-page.ts';
import type { RecapturedContents } from '../readings/recaptured-contents.ts';

/** Time limit for all control readings of a record. */
const TOTAL_TIMEOUT_MS = 120_000;

export interface ControlReaderDeps {
  /** The run whose configuration `recapturePage` uses. */
  readonly baselineRunId: string;
  readonly recapturePage: RecapturePage;
  /** Receives the content of the control readings. */
  readonly contents: RecapturedContents;
  readonly now: () => number;
}

/**
 * Reads pages again as the baseline's run read them, by its configuration and engine. One page after the other, because
 * they are of one site. Leaves out pages of other runs and inconclusive results. By page key.
 */
export async function readControls(
  { baselineRunId, recapturePage, contents, now }: ControlReaderDeps,
  lastGoodReadings: readonly PageReading[],
): Promise<ReadonlyMap<string, PageReading>> {
  const controls = new Map<string, PageReading>();
  const deadlineMs = now() + TOTAL_TIMEOUT_MS;
  for (const lastGood of lastGoodReadings) {
    if (now() > deadlineMs) break;
    const { pageKey, url, runId, method, isThroughExit } = lastGood;
    if (runId !== baselineRunId || isThroughExit === true) continue;
    const recaptured = await recapturePage(url, method === 'browser' ? 'browser' : 'http');
    if (recaptured?.content === undefined) continue;
    const { reading, content } = recaptured;
    if (reading.pageKey !== pageKey || reading.method !== method || observationOf(reading) !== 'read') continue;
    if (contents.add(reading.pageId, content)) controls.set(pageKey, reading);
  }
  return controls;
}
