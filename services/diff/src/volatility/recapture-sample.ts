import type { PageDelta } from '../domain/page-delta.ts';
import { folderOf } from '../domain/page-key.ts';
import { observationOf, type PageReading } from '../domain/page-reading.ts';
import { type LearnedVolatility, type VolatilityChanges, VolatilityModel } from './volatility-model.ts';

/** Maximum number of recaptured pages per folder, and per run. */
const MAX_PER_FOLDER = 5;
const MAX_PER_RUN = 50;
/** Recaptures closer to the first capture may come from the same HTTP cache entry. */
export const RECAPTURE_DELAY_SECONDS = 30;
/** Later recaptures may differ because the page was edited. */
export const RECAPTURE_MAX_AGE_SECONDS = 600;

/** The difference between the capture of a page and its recapture. */
export interface RecaptureDelta {
  readonly pageKey: string;
  /** `sketchAnchors` of the recapture. */
  readonly anchors: readonly number[];
  readonly delta: PageDelta;
}

/**
 * Chooses sample pages of a project's first full run: a few per folder, most recently fetched, among those that a plain
 * fetch could read.
 */
export async function choosePagesToRecapture(batches: AsyncIterable<readonly PageReading[]>): Promise<PageReading[]> {
  let chosen: PageReading[] = [];
  for await (const batch of batches)
    for (const page of batch) {
      if (!isReadByPlainFetch(page)) continue;
      const folder = folderOf(page.pageKey);
      const ofFolder = chosen.filter(({ pageKey }) => folderOf(pageKey) === folder);
      const replaceable = ofFolder.length >= MAX_PER_FOLDER ? ofFolder : chosen.length >= MAX_PER_RUN ? chosen : [];
      const earliest = replaceable.reduce((oldest, one) => (fetchedAt(one) < fetchedAt(oldest) ? one : oldest), page);
      if (earliest !== page || replaceable.length === 0) chosen = [...chosen.filter((one) => one !== earliest), page];
    }
  return chosen;
}

const fetchedAt = ({ fetchedAtMs = 0 }: PageReading): number => fetchedAtMs;

const isReadByPlainFetch = (page: PageReading): boolean =>
  observationOf(page) === 'read' && page.method === 'http' && page.isThroughExit !== true && page.comparedHash !== '';

/** Whether the capture is recent enough that a difference means volatility and not an edit. */
export const isRecentlyFetched = ({ fetchedAtMs }: PageReading, nowMs: number): boolean =>
  fetchedAtMs !== undefined && nowMs - fetchedAtMs <= RECAPTURE_MAX_AGE_SECONDS * 1_000;

/** Marks every block that differs between capture and recapture as volatile. */
export function learnFromRecaptures(learned: LearnedVolatility, pages: Iterable<RecaptureDelta>): VolatilityChanges {
  const volatility = new VolatilityModel(learned);
  for (const { pageKey, anchors, delta } of pages)
    volatility.observeRecapture(volatility.templates.assign(folderOf(pageKey), anchors), delta);
  return volatility.changes();
}
