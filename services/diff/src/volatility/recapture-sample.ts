import type { PageDelta } from '../domain/page-delta.ts';
import { folderOf } from '../domain/page-key.ts';
import { observationOf, type PageReading } from '../domain/page-reading.ts';
import { type LearnedVolatility, type VolatilityChanges, VolatilityModel } from './volatility-model.ts';

/** Pages of one folder, and of a run, that are fetched a second time at most. */
const MAX_PER_FOLDER = 5;
const MAX_PER_RUN = 50;
/** Two fetches closer than this may get the same answer from a cache on the way. */
export const RECAPTURE_DELAY_SECONDS = 30;
/** Two fetches further apart than this may differ because somebody has changed the page. */
export const RECAPTURE_MAX_AGE_SECONDS = 600;

/** A page fetched twice within minutes: how the second differs from the first. */
export interface RecaptureDelta {
  readonly pageKey: string;
  /** Where in the markup the page has its blocks: `sketchAnchors` of the second fetch. */
  readonly anchors: readonly number[];
  readonly delta: PageDelta;
}

/**
 * Which pages of a project's first full run are worth a second fetch: a few of each folder, those read last, of those that a plain fetch
 * could read.
 */
export async function choosePagesToRecapture(batches: AsyncIterable<readonly PageReading[]>): Promise<PageReading[]> {
  let chosen: PageReading[] = [];
  for await (const batch of batches)
    for (const page of batch) {
      if (!isReadByPlainFetch(page)) continue;
      const folder = folderOf(page.pageKey);
      const ofFolder = chosen.filter(({ pageKey }) => folderOf(pageKey) === folder);
      const replaceable = ofFolder.length >= MAX_PER_FOLDER ? ofFolder : chosen.length >= MAX_PER_RUN ? chosen : [];
      const earliest = replaceable.reduce((least, one) => (fetchedAt(one) < fetchedAt(least) ? one : least), page);
      if (earliest !== page || replaceable.length === 0) chosen = [...chosen.filter((one) => one !== earliest), page];
    }
  return chosen;
}

const fetchedAt = ({ fetchedAtMs = 0 }: PageReading): number => fetchedAtMs;

const isReadByPlainFetch = (page: PageReading): boolean =>
  observationOf(page) === 'read' && page.method === 'http' && page.isThroughExit !== true && page.comparedHash !== '';

/** Whether a page was read so lately that what differs now changes by itself, and was not changed by somebody. */
export const isRecentlyFetched = ({ fetchedAtMs }: PageReading, nowMs: number): boolean =>
  fetchedAtMs !== undefined && nowMs - fetchedAtMs <= RECAPTURE_MAX_AGE_SECONDS * 1_000;

/** What two fetches of the same pages teach: whatever differed between them changes by itself. */
export function learnFromRecaptures(learned: LearnedVolatility, pages: Iterable<RecaptureDelta>): VolatilityChanges {
  const volatility = new VolatilityModel(learned);
  for (const { pageKey, anchors, delta } of pages)
    volatility.observeRecapture(volatility.templates.assign(folderOf(pageKey), anchors), delta);
  return volatility.changes();
}
