import { Deadline } from '../compare/deadline.ts';
import { type ComparedElement, comparedTree, isComparedElement, Likenesses } from './compared-tree.ts';
import { type Difference, findDifferences, type Standing } from './find-differences.ts';
import type { MarkupDelta, MarkupOp } from './markup-delta.ts';
import type { MarkupPage } from './markup-tree.ts';
import { parseMarkup, TooLarge } from './parse-markup.ts';
import { placeSelector, uniqueIds } from './place-selector.ts';
import { differingParts, snippetOf } from './snippet.ts';

/** More are counted as truncated: a page that differs in more places has been rebuilt. */
export const OPS_CAP = 500;

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
  const likenesses = new Likenesses();
  const before = comparedTree(pages.before, likenesses);
  const after = comparedTree(pages.after, likenesses);
  const { found, noise, isOutOfTime } = findDifferences(before, after, deadline);
  return {
    ops: describe(found.slice(0, OPS_CAP), pages),
    isTruncated: found.length > OPS_CAP,
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

function describe(found: readonly Difference[], pages: Pages): MarkupOp[] {
  const idsBefore = uniqueIds(pages.before);
  const idsAfter = uniqueIds(pages.after);
  return found.map((difference) => {
    const { op, before, after, attribute } = difference;
    const section = (after ?? before)?.node.section ?? '';
    return {
      op,
      selector: after
        ? placeSelector(elementAt(after), idsAfter)
        : before
          ? placeSelector(elementAt(before), idsBefore)
          : '',
      ...(op === 'move' && before ? { fromSelector: placeSelector(elementAt(before), idsBefore) } : {}),
      ...(section === '' ? {} : { section }),
      ...(attribute === undefined ? {} : { attribute }),
      ...saidIn(difference),
    };
  });
}

/** The element itself, or the one a text stands in. */
const elementAt = ({ node, holder }: Standing): ComparedElement['source'] =>
  isComparedElement(node) ? node.source : holder.source;

function saidIn({ op, before, after, attribute }: Difference): { before?: string; after?: string } {
  const said = (standing: Standing | undefined): string | undefined => {
    if (standing === undefined) return undefined;
    return attribute === undefined ? snippetOf(standing.node) : elementAt(standing).attributes.get(attribute);
  };
  const [was, is] = [said(before), said(after)];
  if (op === 'text' && before && after && !isComparedElement(before.node) && !isComparedElement(after.node))
    return differingParts(before.node.said, after.node.said);
  if (op === 'attr' && was !== undefined && is !== undefined) return differingParts(was, is);
  return {
    ...(was === undefined ? {} : { before: differingParts(was, '').before }),
    ...(is === undefined ? {} : { after: differingParts(is, '').before }),
  };
}
