import { Deadline } from '../compare/deadline.ts';
import { type ComparedElement, comparedTree, isComparedElement, SubtreeIds } from './compared-tree.ts';
import { type Difference, findDifferences, type NodeInParent } from './find-differences.ts';
import type { MarkupDelta, MarkupOp } from './markup-delta.ts';
import type { MarkupPage } from './markup-tree.ts';
import { parseMarkup, TooLarge } from './parse-markup.ts';
import { differingParts, snippetOf } from './snippet.ts';
import { structuralSelector, uniqueIds } from './structural-selector.ts';

/** More are counted as truncated: a page that differs in more places has been rebuilt. */
export const MAX_OPS = 500;

export interface CompareMarkupOptions {
  /** After it, what is not yet compared is told as replaced. Parsing, which takes well under a second, is not cut short. */
  readonly deadlineMs: number;
}

/**
 * How the markup of two readings of a page differs, without what differs between any two fetches (`NOISE_RULES`). Order of attributes,
 * white space and the case of markup are no difference. Never throws.
 */
export function compareMarkup(
  beforeHtml: string,
  afterHtml: string,
  { deadlineMs }: CompareMarkupOptions,
): MarkupDelta {
  const deadline = new Deadline(deadlineMs);
  const pages = parsePair(beforeHtml, afterHtml);
  if (pages === undefined) return tooLarge();
  const likenesses = new SubtreeIds();
  const before = comparedTree(pages.before, likenesses);
  const after = comparedTree(pages.after, likenesses);
  const { found, noise, isOutOfTime } = findDifferences(before, after, deadline);
  return {
    ops: toOps(found.slice(0, MAX_OPS), pages),
    isTruncated: found.length > MAX_OPS,
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

/** What can be said of a pair that was given up. */
export const outOfTime = (): MarkupDelta => ({ ...NOTHING, degraded: 'out_of_time' });

function toOps(found: readonly Difference[], pages: Pages): MarkupOp[] {
  const idsBefore = uniqueIds(pages.before);
  const idsAfter = uniqueIds(pages.after);
  return found.map((difference) => {
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

/** The element itself, or the one a text stands in. */
const elementAt = ({ node, parent }: NodeInParent): ComparedElement['source'] =>
  isComparedElement(node) ? node.source : parent.source;

function excerptsOf({ op, before, after, attribute }: Difference): { before?: string; after?: string } {
  const textAt = (standing: NodeInParent | undefined): string | undefined => {
    if (standing === undefined) return undefined;
    return attribute === undefined ? snippetOf(standing.node) : elementAt(standing).attributes.get(attribute);
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
