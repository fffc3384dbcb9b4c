import type { PageReading } from '../../domain/page-reading.ts';
import { blockEntry, type EntryContent } from '../entries/entry.ts';
import { summarizeChanges } from '../entries/entry-builder.ts';
import { comparePage } from './compare-page.ts';
import type { EvaluationContext, PageEvaluation } from './evaluate-page.ts';
import { findMoves, type Sketched } from './find-moves.ts';
import { mapInOrder } from './map-in-order.ts';
import type { PageAlias } from './ports.ts';
import { sketchPage } from './text-sketch.ts';

/** Removed and added pages among which moves are searched, each; further pages are reported as they are. */
export const MAX_CANDIDATES = 5_000;
const MAX_CONCURRENT_LOADS = 4;

/** A page that was removed under one URL and added under another. */
interface Moved {
  readonly from: PageEvaluation;
  readonly to: PageEvaluation;
  readonly reason: PageAlias['reason'];
}

/** Holds removed and added pages until moves are known. */
export class MoveCandidates {
  readonly #removed: PageEvaluation[] = [];
  readonly #servedElsewhere: PageEvaluation[] = [];
  readonly #added = new Map<string, PageEvaluation>();

  /** Adds a page; false: the limit is reached and the page must be reported as it is. */
  add(evaluation: PageEvaluation): boolean {
    const { outcome } = evaluation.classification;
    if (evaluation.servedAs !== undefined) return pushBounded(this.#servedElsewhere, evaluation);
    if (outcome === 'removed') return pushBounded(this.#removed, evaluation);
    if (this.#added.size >= MAX_CANDIDATES) return false;
    this.#added.set(evaluation.pageKey, evaluation);
    return true;
  }

  /**
   * Finds moves. Every held page is in exactly one result; `servedElsewhere` are pages served under the key of another
   * known page.
   */
  async resolve(context: EvaluationContext): Promise<{
    readonly moved: readonly Moved[];
    readonly servedElsewhere: readonly PageEvaluation[];
    readonly unmoved: readonly PageEvaluation[];
  }> {
    const moved: Moved[] = [];
    const servedElsewhere: PageEvaluation[] = [];
    for (const from of this.#servedElsewhere) {
      const to = this.#added.get(from.servedAs?.pageKey ?? '');
      if (to === undefined) servedElsewhere.push(from);
      else {
        this.#added.delete(to.pageKey);
        moved.push({ from, to, reason: 'redirect' });
      }
    }
    moved.push(...(await this.#findSimilar(context)));
    const movedPages = new Set(moved.map(({ from }) => from));
    for (const { to } of moved) this.#added.delete(to.pageKey);
    return {
      moved,
      servedElsewhere,
      unmoved: [...this.#removed.filter((page) => !movedPages.has(page)), ...this.#added.values()],
    };
  }

  async #findSimilar(context: EvaluationContext): Promise<Moved[]> {
    const removedByKey = new Map(this.#removed.map((page) => [page.pageKey, page]));
    const newPages = [...this.#added.values()].filter(isNew);
    if (removedByKey.size === 0 || newPages.length === 0) return [];
    const removed = await sketchAll(context, [...removedByKey.values()], (page) => page.known?.lastGood);
    const added = await sketchAll(context, newPages, (page) => page.reading);
    return findMoves(removed, added).flatMap(({ from, to }): Moved[] => {
      const [a, b] = [removedByKey.get(from), this.#added.get(to)];
      return a === undefined || b === undefined ? [] : [{ from: a, to: b, reason: 'moved' }];
    });
  }
}

/** Creates the entry of a moved page: its new URL and its other changes. */
export async function moveEntry(context: EvaluationContext, { from, to }: Moved): Promise<EntryContent> {
  const [before, now] = [from.known?.lastGood, to.reading];
  const url = { name: 'url', from: from.known?.url ?? from.pageKey, to: now?.url ?? to.pageKey };
  const title = now?.title ?? before?.title ?? '';
  const entry = { pageKey: to.pageKey, url: url.to, title, kind: 'modified', movedFrom: url.from } as const;
  const verdicts = [from.verdicts[0], to.verdicts[1]] as const;
  const comparison = before && now && (await comparePage(context, before, now));
  if (comparison?.result !== 'differs') return { ...entry, verdicts, fields: [url] };
  const { delta } = comparison;
  return {
    ...entry,
    ...summarizeChanges(delta.blocks.filter((change) => change.isVolatile !== true)),
    verdicts,
    blocks: delta.blocks.map((change) => blockEntry(change, change.isVolatile === true)),
    fields: [url, ...delta.fields],
    degraded: delta.isDegraded,
    pageStates: comparison.pageStates,
  };
}

const isNew = ({ classification }: PageEvaluation): boolean =>
  classification.outcome === 'added' && !classification.isReturned;

function pushBounded(list: PageEvaluation[], evaluation: PageEvaluation): boolean {
  if (list.length >= MAX_CANDIDATES) return false;
  list.push(evaluation);
  return true;
}

async function sketchAll(
  { ports }: EvaluationContext,
  pages: readonly PageEvaluation[],
  readingOf: (page: PageEvaluation) => PageReading | undefined,
): Promise<Sketched[]> {
  const sketched: Sketched[] = [];
  const sketches = mapInOrder(iterate(pages), MAX_CONCURRENT_LOADS, async (page) => {
    const reading = readingOf(page);
    const content = reading && (await ports.loadContent(reading));
    return { pageKey: page.pageKey, sketch: content && sketchPage(content.blocks) };
  });
  for await (const { pageKey, sketch } of sketches) if (sketch !== undefined) sketched.push({ pageKey, sketch });
  return sketched;
}

async function* iterate<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items;
}
