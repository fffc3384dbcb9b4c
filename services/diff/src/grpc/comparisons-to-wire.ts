import type {
  BlockEntry,
  CompareMarkupResponse,
  ComparePageResponse,
  ComparePicturesResponse,
  ReadingPair,
} from '@tidemark/contracts/diff/v1/diff';
import { AppError } from '@tidemark/errors';
import type { PagePart } from '../comparison/whole-page.ts';
import type { CaptureRef, ComparedReadings } from '../domain/compared-readings.ts';
import type { ScreenshotComparison } from '../pictures/compare-screenshots.ts';
import type { MarkupComparison } from '../readings/compare-stored-markup.ts';
import type { TextComparison } from '../readings/compare-stored-text.ts';
import { blockEntry, landmarkOf } from '../records/entries/entry.ts';
import { toWireBlock, toWireField } from './to-wire.ts';

/** @throws AppError validation if the request names no readings */
export function comparedReadings(pair: ReadingPair | undefined): ComparedReadings {
  if (pair === undefined) throw new AppError('validation', 'readings: required');
  const { projectId, url, beforeRunId, beforePageId, afterRunId, afterPageId } = pair;
  return { projectId, url, before: captureRef(beforeRunId, beforePageId), after: captureRef(afterRunId, afterPageId) };
}

const captureRef = (runId: string, pageId: string | undefined): CaptureRef | undefined =>
  pageId === undefined ? undefined : { runId, pageId };

const toWirePart = (part: PagePart): BlockEntry => {
  if ('change' in part) return toWireBlock(blockEntry(part.change, part.change.isVolatile === true));
  const { block, section } = part.unchanged;
  const { text } = block;
  return {
    op: 'same',
    section,
    landmark: landmarkOf(block),
    before: text,
    after: text,
    words: [{ op: '=', text }],
    links: [],
    volatile: false,
    numericOnly: false,
  };
};

export const toWireText = ({ delta, extracted, parts, html }: TextComparison): ComparePageResponse => ({
  blocks: parts.map(toWirePart),
  fields: [...delta.fields, ...extracted].map(toWireField),
  wordsAdded: delta.wordsAdded,
  wordsRemoved: delta.wordsRemoved,
  reordered: delta.isReordered,
  degraded: delta.isDegraded,
  html,
});

export const toWireMarkup = ({ delta, selectors }: MarkupComparison): CompareMarkupResponse => ({
  changes: delta.ops.map(({ fromSelector = '', section = '', attribute = '', ...op }) => ({
    ...op,
    fromSelector,
    section,
    attribute,
    before: op.before,
    after: op.after,
  })),
  noiseSuppressed: { ...delta.noiseSuppressed },
  selectors: selectors.map(({ setting, selector, suggestion }) => ({
    setting,
    selector,
    suggestion: suggestion?.selector ?? '',
    confidence: suggestion?.confidence ?? 0,
    pagesChecked: suggestion?.pagesChecked ?? 0,
    region: suggestion?.text ?? '',
  })),
  degraded: delta.degraded,
  truncated: delta.isTruncated,
});

export const toWirePictures = ({ before, after, delta }: ScreenshotComparison): ComparePicturesResponse => ({
  before: { ...before },
  after: { ...after },
  changedShare: delta.changedShare,
  areas: delta.areas.map((area) => ({ ...area })),
  truncated: delta.isTruncated,
  degraded: delta.shortfall,
  drawn: Buffer.from(delta.drawn ?? []),
});
