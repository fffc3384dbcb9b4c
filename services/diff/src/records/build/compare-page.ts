import { AppError } from '@tidemark/errors';
import { compareExtractedFields, compareModelValues } from '../../comparison/compare-extracted-fields.ts';
import { countOf } from '../../comparison/stored-blocks.ts';
import type { OutcomeReason } from '../../domain/outcome-table.ts';
import type { FieldChange, PageDelta } from '../../domain/page-delta.ts';
import { type PageContent, type PageReading, primaryLanguage } from '../../domain/page-reading.ts';
import type { PageStates } from '../../domain/page-states.ts';
import { sketchAnchors } from '../../volatility/templates.ts';
import type { ConcurrencyLimit } from './concurrency-limit.ts';
import { sideOf } from './page-side.ts';
import type { RecordPorts } from './ports.ts';

/** Result of comparing two readings. */
export type Comparison = { readonly result: 'same' } | UnverifiedComparison | PageDifference;

/** The content of the readings differs. */
export interface PageDifference {
  readonly result: 'differs';
  readonly delta: PageDelta;
  readonly changedShare: number;
  readonly isContentEdited: boolean;
  readonly anchors: readonly number[];
  /** What alert rules read of both readings. */
  readonly pageStates: PageStates;
}

/** The readings differ, or one is unknown, and the difference does not prove an edit of the page. */
export interface UnverifiedComparison {
  readonly result: 'unverified';
  readonly reason: OutcomeReason;
  /** What differs; absent: not known, or without meaning for the page. */
  readonly doubted?: PageDifference;
  /** Present for a reading in another language or by another engine. */
  readonly variant?: VariantChange;
}

/** A reading in another language or by another engine. */
export interface VariantChange {
  readonly key: string;
  /** The change of the page's language; empty: only the engine differs, which is no change of the page. */
  readonly fields: readonly FieldChange[];
}

/** A page with fewer of its words and a shell signal counts as not read. */
const LOST_WORDS_SHARE = 0.2;
const SHELL = /\bshell\b|^empty$|meta refresh|frameset/;

type ComparePorts = Pick<RecordPorts, 'loadContent' | 'compareBlocks' | 'rederive'>;

/** Dependencies of comparisons. */
interface CompareContext {
  readonly ports: ComparePorts;
  readonly brokenFields: ReadonlySet<string>;
  readonly limit: ConcurrencyLimit;
}

/** Compares a reading with an earlier one. Loads their content only if they may differ. */
export async function comparePage(context: CompareContext, before: PageReading, now: PageReading): Promise<Comparison> {
  const mismatch = mismatchOf(before, now);
  const earlier = mismatch === undefined ? before : await context.ports.rederive(before, now);
  if (hasSameContent(earlier ?? before, now)) return { result: 'same' };
  if (isShellPage(before, now)) return { result: 'unverified', reason: 'shell' };
  if (earlier !== undefined) return context.limit(() => compareContent(context, earlier, now));
  if (mismatch === undefined) return { result: 'unverified', reason: 'content_lost' };
  // Blocks that other selectors chose differ by their choice; those of another version, device or login can be compared.
  if (hasOtherBlockRules(before, now)) return { result: 'unverified', reason: mismatch };
  return context.limit(() => compareInDoubt(context, mismatch, before, now));
}

/** Compares readings that one set of rules made; another engine or language still makes the difference doubtful. */
async function compareContent(context: CompareContext, earlier: PageReading, now: PageReading): Promise<Comparison> {
  const compared = await loadAndCompare(context, earlier, now);
  const reason = incomparableReason(earlier, now);
  if (compared.result !== 'differs' || reason === undefined) return compared;
  return { result: 'unverified', reason, doubted: compared, variant: variantChange(earlier, now) };
}

/** Compares readings that different rules made. Equal content is the same; a difference stays in doubt. */
async function compareInDoubt(
  context: CompareContext,
  reason: OutcomeReason,
  before: PageReading,
  now: PageReading,
): Promise<Comparison> {
  const compared = await loadAndCompare(context, before, now);
  if (compared.result === 'unverified') return { result: 'unverified', reason };
  return compared.result === 'same' ? compared : { result: 'unverified', reason, doubted: compared };
}

async function loadAndCompare(
  { ports, brokenFields }: CompareContext,
  earlier: PageReading,
  now: PageReading,
): Promise<Comparison> {
  const [a, b] = await Promise.all([ports.loadContent(earlier), ports.loadContent(now)]);
  if (a === undefined || b === undefined) return { result: 'unverified', reason: 'content_lost' };
  return differenceOf(ports, { reading: earlier, content: a }, { reading: now, content: b }, brokenFields);
}

function variantChange(before: PageReading, now: PageReading): VariantChange {
  const [from, to] = [primaryLanguage(before), primaryLanguage(now)];
  return { key: `${now.method} ${to}`, fields: differs(from, to) ? [{ name: 'language', from, to }] : [] };
}

/** Returns the change of a page that stays in another language: that is its one change. */
export const asLanguageChange = (
  { anchors, pageStates }: PageDifference,
  fields: readonly FieldChange[],
): PageDifference => ({
  result: 'differs',
  delta: { blocks: [], fields, wordsAdded: 0, wordsRemoved: 0, isReordered: false, isDegraded: false },
  changedShare: 0,
  isContentEdited: true,
  anchors,
  pageStates,
});

/** Returns how the number of links to the page crossed zero. */
export function linksOf(before: PageReading, now: PageReading): 'orphaned' | 'linked' | undefined {
  if (before.inLinks === undefined || now.inLinks === undefined) return undefined;
  if (before.inLinks > 0 && now.inLinks === 0) return 'orphaned';
  return before.inLinks === 0 && now.inLinks > 0 ? 'linked' : undefined;
}

/** Returns why the readings were made by different rules, which is never a change of the page. */
function mismatchOf(before: PageReading, now: PageReading): OutcomeReason | undefined {
  if (before.contentVariantKey !== now.contentVariantKey) return 'configuration_changed';
  if (hasOtherBlockRules(before, now) && !hasSameContent(before, now)) return 'configuration_changed';
  return before.blocksVersion !== now.blocksVersion ? 'rules_changed' : undefined;
}

const hasOtherBlockRules = (before: PageReading, now: PageReading): boolean =>
  before.blockRulesKey !== undefined && now.blockRulesKey !== undefined && before.blockRulesKey !== now.blockRulesKey;

function hasSameContent(before: PageReading, now: PageReading): boolean {
  return now.comparedHash !== '' && before.comparedHash === now.comparedHash && before.httpStatus === now.httpStatus;
}

function isShellPage(before: PageReading, now: PageReading): boolean {
  return now.words < before.words * LOST_WORDS_SHARE && now.signals.some((signal) => SHELL.test(signal));
}

/** Returns why a difference may come from another engine or language rather than from the page. */
function incomparableReason(before: PageReading, now: PageReading): OutcomeReason | undefined {
  if (!mayContentDiffer(before, now)) return undefined;
  if (differs(before.method, now.method)) return 'method_changed';
  return differs(primaryLanguage(before), primaryLanguage(now)) ? 'language_changed' : undefined;
}

/** The hash decides whether the content differs: block matching may pair content with equal boilerplate. */
const mayContentDiffer = (before: PageReading, now: PageReading): boolean =>
  now.contentHash === '' || before.contentHash !== now.contentHash;

/** An unknown value is no difference. */
const differs = (a: string, b: string): boolean => a !== '' && b !== '' && a !== b;

interface Side {
  readonly reading: PageReading;
  readonly content: PageContent;
}

async function differenceOf(
  ports: ComparePorts,
  before: Side,
  now: Side,
  brokenFields: ReadonlySet<string>,
): Promise<Comparison> {
  const delta = await ports.compareBlocks(before.content.blocks, now.content.blocks).catch(ignoreDamagedContent);
  if (delta === undefined) return { result: 'unverified', reason: 'content_lost' };
  const fields = [
    ...delta.fields,
    ...statusChange(before.reading, now.reading),
    ...compareExtractedFields(before.content.fields, now.content.fields, brokenFields),
    ...compareModelValues(before.content.extracted, now.content.extracted),
  ];
  // Reordered blocks are not reported; volatile blocks are counted.
  const blocks = delta.isReordered ? delta.blocks.filter(({ isVolatile }) => isVolatile === true) : delta.blocks;
  if (blocks.length === 0 && fields.length === 0) return { result: 'same' };
  const size = Math.max(countOf(before.content.blocks), countOf(now.content.blocks), 1);
  return {
    result: 'differs',
    delta: { ...delta, blocks, fields },
    isContentEdited: mayContentDiffer(before.reading, now.reading),
    changedShare: Math.min(1, blocks.filter(({ op }) => op !== 'moved').length / size),
    anchors: sketchAnchors(now.content.blocks),
    pageStates: {
      before: sideOf(before.reading, before.content),
      after: sideOf(now.reading, now.content),
    },
  };
}

/** Damaged content of one page does not fail the record. @throws any other error */
function ignoreDamagedContent(error: unknown): undefined {
  if (error instanceof AppError && error.code === 'internal') return undefined;
  throw error;
}

function statusChange(before: PageReading, now: PageReading): FieldChange[] {
  if (before.httpStatus === now.httpStatus) return [];
  return [{ name: 'status', from: String(before.httpStatus), to: String(now.httpStatus) }];
}
