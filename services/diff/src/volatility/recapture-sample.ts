import type { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import type { PageDelta } from '../domain/page-delta.ts';
import { folderOf } from '../domain/page-key.ts';
import { observationOf, type PageReading } from '../domain/page-reading.ts';
import { anchorOfPlace, placeOfField, placesOf, VOLATILE_LISTS } from './block-traits.ts';
import { type PageOfTemplate, type PlaceChange, placeChanges } from './place-changes.ts';
import { isWide, provenByRecaptures, type SelfChange } from './self-change.ts';
import { sketchAnchors } from './templates.ts';
import {
  type LearnedVolatility,
  type RecapturedPlace,
  type VolatilityChanges,
  VolatilityModel,
} from './volatility-model.ts';

/** Maximum number of recaptured pages per folder, and per run. */
const MAX_PER_FOLDER = 5;
const MAX_PER_RUN = 50;
/** Recaptures closer to the first capture may come from the same HTTP cache entry. */
export const RECAPTURE_DELAY_SECONDS = 30;
/** Delay between two recaptures of a page: long enough for most caches in front of a site, too short for most edits. */
export const RECAPTURE_GAP_SECONDS = 10;
/** A job that starts later is of no use. */
export const RECAPTURE_MAX_AGE_SECONDS = 600;

/** Successive readings of a page: its first capture, and recaptures a few seconds apart. */
export interface RecaptureSample {
  readonly pageKey: string;
  /** `sketchAnchors` of the last recapture. */
  readonly sketch: readonly number[];
  /** Places of the last recapture. */
  readonly places: readonly string[];
  /** The difference of each reading from the one before; empty where they are equal. */
  readonly differences: readonly PageDelta[];
}

/**
 * Number of successive readings that must differ. One edit makes one difference, whenever it is made; of the first
 * capture and three recaptures, two differences include one of readings that are a few seconds apart.
 */
const MIN_DIFFERENCES = 2;

/**
 * Chooses sample pages of a project's first full run: a few per folder, most recently fetched, among those that a plain
 * fetch could read.
 */
export async function choosePagesToRecapture(batches: AsyncIterable<readonly PageReading[]>): Promise<PageReading[]> {
  let chosen: PageReading[] = [];
  for await (const batch of batches)
    for (const page of batch) if (isReadByPlainFetch(page)) chosen = withPage(chosen, page);
  return chosen;
}

/** Returns the sample with a page. At a limit it replaces the page that was fetched first, unless that is itself. */
function withPage(chosen: PageReading[], page: PageReading): PageReading[] {
  const replaceable = replaceableBy(page, chosen);
  if (replaceable === undefined) return [...chosen, page];
  const earliest = replaceable.reduce((oldest, one) => (fetchedAt(one) < fetchedAt(oldest) ? one : oldest), page);
  return earliest === page ? chosen : [...chosen.filter((one) => one !== earliest), page];
}

/** Returns the pages of which a further page must replace one; undefined below the limits. */
function replaceableBy({ pageKey }: PageReading, chosen: readonly PageReading[]): readonly PageReading[] | undefined {
  const folder = folderOf(pageKey);
  const ofFolder = chosen.filter((one) => folderOf(one.pageKey) === folder);
  if (ofFolder.length >= MAX_PER_FOLDER) return ofFolder;
  return chosen.length >= MAX_PER_RUN ? chosen : undefined;
}

const fetchedAt = ({ fetchedAtMs = 0 }: PageReading): number => fetchedAtMs;

const isReadByPlainFetch = (page: PageReading): boolean =>
  observationOf(page) === 'read' && page.method === 'http' && page.isThroughExit !== true && page.comparedHash !== '';

/** Whether the capture is recent enough for its texts to be those that a next run is compared with. */
export const isRecentlyFetched = ({ fetchedAtMs }: PageReading, nowMs: number): boolean =>
  fetchedAtMs !== undefined && nowMs - fetchedAtMs <= RECAPTURE_MAX_AGE_SECONDS * 1_000;

/** Returns the sample of a page. @param last its last recapture */
export function recaptureSample(pageKey: string, last: PageBlocks, differences: readonly PageDelta[]): RecaptureSample {
  const lists = VOLATILE_LISTS.filter((list) => last.head.some(({ name }) => name === list));
  const places = [...placesOf(last), ...lists.map(placeOfField)];
  return { pageKey, sketch: sketchAnchors(last), places, differences };
}

/** Learns what changes by itself from recaptured pages. @param at time of the recaptures, ISO 8601 */
export function learnFromRecaptures(
  learned: LearnedVolatility,
  samples: readonly RecaptureSample[],
  at: string,
): VolatilityChanges {
  const volatility = new VolatilityModel(learned);
  const readPages = new Map<string, number>();
  const proven: ProvenPlace[] = [];
  for (const { pageKey, sketch, places, differences } of samples.toSorted(byPageKey)) {
    const template = volatility.templates.assign(folderOf(pageKey), sketch);
    for (const place of places) {
      const anchor = anchorOfPlace(template, place);
      readPages.set(anchor, (readPages.get(anchor) ?? 0) + 1);
    }
    proven.push(...provenPlaces({ pageKey, template }, differences, at));
  }
  const byAnchor = [...Map.groupBy(proven, ({ anchor }) => anchor)];
  const recaptured = byAnchor.flatMap(([anchor, ofPages]): RecapturedPlace[] => {
    const blocks = ofPages.flatMap((page) => page.blocks);
    const pages = ofPages.filter(({ isWhole }) => isWhole).length;
    const isOfMostPages = isWide(pages, readPages.get(anchor) ?? 0);
    const [first] = ofPages;
    if (first === undefined || (blocks.length === 0 && !isOfMostPages)) return [];
    return [{ anchor, template: first.template, blocks, isWide: isOfMostPages }];
  });
  return volatility.learnRecaptured(recaptured, at);
}

const byPageKey = (a: RecaptureSample, b: RecaptureSample): number => (a.pageKey < b.pageKey ? -1 : 1);

/** What the readings of one page prove of a place. */
interface ProvenPlace extends Pick<RecapturedPlace, 'anchor' | 'template' | 'blocks'> {
  /** The place changed in enough readings, whatever its blocks. */
  readonly isWhole: boolean;
}

/** Returns the places of a page that differ in enough successive readings. */
function provenPlaces(page: PageOfTemplate, differences: readonly PageDelta[], at: string): ProvenPlace[] {
  const changes = differences.flatMap((delta, reading) =>
    placeChanges(page, delta).flatMap((change) => (change.blocks.length === 0 ? [] : { ...change, reading })),
  );
  const last = differences.length - 1;
  return [...Map.groupBy(changes, ({ anchor }) => anchor)]
    .filter(([, ofPlace]) => ofPlace.length >= MIN_DIFFERENCES)
    .map(([anchor, ofPlace]) => ({
      anchor,
      template: page.template,
      blocks: provenBlocks(ofPlace, last, at),
      isWhole: ofPlace.every(({ isOfPlace }) => isOfPlace),
    }));
}

/** A block followed from its key in the first capture through the readings. */
interface FollowedBlock {
  readonly first: string;
  readonly differences: number;
  readonly shows: string;
  /** Index of the last difference. */
  readonly reading: number;
}

/** Returns the evidence of the blocks of a place that differ in enough successive readings, by their first key. */
function provenBlocks(
  changes: readonly (PlaceChange & { readonly reading: number })[],
  last: number,
  at: string,
): [key: string, evidence: SelfChange][] {
  const followed = new Map<string, FollowedBlock>();
  for (const { blocks, reading } of changes) {
    const next = blocks.map(({ before, after, shows }): [string, FollowedBlock] => {
      const { first = before, differences = 0 } = followed.get(before) ?? {};
      return [after, { first, differences: differences + 1, shows, reading }];
    });
    for (const { before } of blocks) followed.delete(before);
    for (const [key, block] of next) followed.set(key, block);
  }
  return [...followed.values()]
    .filter(({ differences }) => differences >= MIN_DIFFERENCES)
    .map(({ first, shows, reading }) => [first, provenByRecaptures(at, reading < last ? shows : undefined)]);
}
