import { attributeOf } from '@tidemark/page-reader/source';
import { Deadline } from '../comparison/deadline.ts';
import { type ComparedElement, comparedTree, isComparedElement, SubtreeIds } from './compared-tree.ts';
import { findDifferences, type NodeDifference, type NodeInParent } from './find-differences.ts';
import type { MarkupDelta, MarkupOp } from './markup-delta.ts';
import { type MarkupPage, parseMarkup, TooLarge } from './markup-tree.ts';
import { differingParts, snippetOf } from './snippet.ts';
import { structuralSelector, uniqueIds } from './structural-selector.ts';

/** Maximum number of listed differences; a page with more was rebuilt. */
export const MAX_OPS = 500;

export interface CompareMarkupOptions {
  /**
   * Time limit. Parts not compared by then are reported as removed and inserted. Parsing takes well below a second and
   * is not interrupted.
   */
  readonly deadlineMs: number;
}

/**
 * Compares the markup of two readings of a page, without differences that occur between any two fetches
 * (`NOISE_RULES`). Attribute order, white space and the case of markup are ignored. Never throws.
 */
export function compareMarkup(
  beforeHtml: string,
  afterHtml: string,
  { deadlineMs }: CompareMarkupOptions,
): MarkupDelta {
  const deadline = new Deadline(deadlineMs);
  const pages = parsePair(beforeHtml, afterHtml);
  if (pages === undefined) return tooLarge();
  const ids = new SubtreeIds();
  const before = comparedTree(pages.before, ids);
  const after = comparedTree(pages.after, ids);
  const { found: differences, noise, isOutOfTime } = findDifferences(before, after, deadline);
  return {
    ops: toOps(differences.slice(0, MAX_OPS), pages),
    isTruncated: differences.length > MAX_OPS,
    noiseSuppressed: Object.fromEntries(noise),
    nodesBefore: pages.before.nodes,
    nodesAfter: pages.after.nodes,
    ...(isOutOfTime ? { degraded: 'out_of_time' } : {}),
  };
}

interface Pages {
  readonly before: MarkupPage;
  readonly after: MarkupPage;
}

function parsePair(beforeHtml: string, afterHtml: string): Pages | undefined {
  try {
    return { before: parseMarkup(beforeHtml), after: parseMarkup(afterHtml) };
  } catch (error) {
    if (error instanceof TooLarge) return undefined;
    throw error;
  }
}

const NOTHING = { ops: [], isTruncated: false, noiseSuppressed: {}, nodesBefore: 0, nodesAfter: 0 };

const tooLarge = (): MarkupDelta => ({ ...NOTHING, degraded: 'too_large' });

/** Returns the result of a pair that timed out. */
export const outOfTime = (): MarkupDelta => ({ ...NOTHING, degraded: 'out_of_time' });

function toOps(differences: readonly NodeDifference[], pages: Pages): MarkupOp[] {
  const idsBefore = uniqueIds(pages.before);
  const idsAfter = uniqueIds(pages.after);
  return differences.map((difference) => {
    const { op, before, after, attribute } = difference;
    const section = (after ?? before)?.node.section ?? '';
    return {
      op,
      selector: after
        ? structuralSelector(elementAt(after), idsAfter)
        : before
          ? structuralSelector(elementAt(before), idsBefore)
          : '',
      ...(op === 'move' && before ? { fromSelector: structuralSelector(elementAt(before), idsBefore) } : {}),
      ...(section === '' ? {} : { section }),
      ...(attribute === undefined ? {} : { attribute }),
      ...excerptsOf(difference),
    };
  });
}

/** Returns the element itself, or the parent of a text. */
const elementAt = ({ node, parent }: NodeInParent): ComparedElement['source'] =>
  isComparedElement(node) ? node.source : parent.source;

function excerptsOf({ op, before, after, attribute }: NodeDifference): { before?: string; after?: string } {
  const textAt = (position: NodeInParent | undefined): string | undefined => {
    if (position === undefined) return undefined;
    return attribute === undefined ? snippetOf(position.node) : attributeOf(elementAt(position), attribute);
  };
  const [previous, current] = [textAt(before), textAt(after)];
  if (op === 'text' && before && after && !isComparedElement(before.node) && !isComparedElement(after.node))
    return differingParts(before.node.rawText, after.node.rawText);
  if (op === 'attr' && previous !== undefined && current !== undefined) return differingParts(previous, current);
  return {
    ...(previous === undefined ? {} : { before: differingParts(previous, '').before }),
    ...(current === undefined ? {} : { after: differingParts(current, '').before }),
  };
}
