import { type Element, Flag, isBlock, isInlineBox } from '../tree/page-tree.ts';
import { formulaOf, isDuplicateFormula } from './formula.ts';

/**
 * How an element is presented. Text, markdown and the blocks that are compared follow the same decision, so that each word that
 * extraction shows is compared.
 *
 * - `omitted`: neither the element nor its children are content.
 * - `formula`: written as TeX, see `formulaOf`.
 * - `annotation`: ruby above or beside the text, which is no part of it. Compared, not written.
 * - `control`: a form control. Its label is compared, not written, and separates the texts around it.
 * - `embed`: a drawing, frame or player, compared by its title or URL.
 * - `image`, `break`, `code`: an image, a line break, preformatted text.
 * - `flow`: its children are content.
 */
export type Presentation =
  | 'omitted'
  | 'formula'
  | 'annotation'
  | 'control'
  | 'embed'
  | 'image'
  | 'break'
  | 'code'
  | 'flow';

const BY_TAG: ReadonlyMap<string, Presentation> = new Map([
  ['br', 'break'],
  ['pre', 'code'],
  ['img', 'image'],
  ['rt', 'annotation'],
  ['rp', 'annotation'],
  ['button', 'control'],
  ['input', 'control'],
  ['select', 'control'],
  ['textarea', 'control'],
  ['svg', 'embed'],
  ['iframe', 'embed'],
  ['object', 'embed'],
  ['video', 'embed'],
  ['audio', 'embed'],
  ['canvas', 'embed'],
]);

/** Decides how an element is presented. Elements with any of the flags `skip` are omitted. */
export function presentationOf(element: Element, skip: number): Presentation {
  const { tag, flags, attributes } = element;
  // A script may contain a formula.
  if (tag === 'script') return formulaOf(element) === undefined ? 'omitted' : 'formula';
  if ((flags & skip) !== 0) return 'omitted';
  const byTag = BY_TAG.get(tag);
  if (byTag === 'control') return presentationOfControl(element);
  if (byTag !== undefined) return byTag;
  if (tag !== 'math' && attributes['class'] === undefined && !holdsFormula(element)) return 'flow';
  if (formulaOf(element) !== undefined) return 'formula';
  return isDuplicateFormula(element) ? 'omitted' : 'flow';
}

function presentationOfControl({ flags, attributes }: Element): Presentation {
  if ((flags & Flag.label) !== 0) return 'flow';
  return attributes['type'] === 'hidden' ? 'omitted' : 'control';
}

const holdsFormula = ({ tag, attributes }: Element): boolean =>
  tag.startsWith('mjx-') || attributes['data-math'] !== undefined || attributes['data-latex'] !== undefined;

/** True for an element that is rendered and omitted: it separates the texts around it. */
export const leavesGap = ({ tag, flags }: Element, skip: number): boolean =>
  (flags & skip & ~Flag.notRendered) !== 0 && tag !== 'script';

/** What separates the text of an element from the texts around it. */
export type Gap = '' | ' ' | '\t' | '\n' | '\n\n';

/** Blocks separated by a line break instead of an empty line. */
const LINES = new Set(['li', 'tr', 'dt', 'dd', 'caption', 'option']);

/** Returns what separates a rendered element from the texts around it; empty for a part of a line. */
export function gapAround(element: Element): Gap {
  const { tag } = element;
  if (tag === 'td' || tag === 'th') return '\t';
  if (LINES.has(tag)) return '\n';
  if (isBlock(tag)) return '\n\n';
  return isInlineBox(element) || (element.flags & Flag.label) !== 0 ? '\n' : '';
}
