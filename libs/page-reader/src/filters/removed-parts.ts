import type { RemovedPart } from '../options/content-options.ts';
import { Hint } from '../tree/name-hints.ts';
import { collapseSpaces, type Element, Flag, isElement, visibleLine } from '../tree/page-tree.ts';
import { DETAILED_REMOVED_CAP, EXCERPT_CHARS, REMOVED_CAP } from './thresholds.ts';

/** The omitted elements, by the step that omitted them. */
export interface RemovalInput {
  readonly body: Element;
  /** Elements that the content was written from. */
  readonly kept: readonly Element[];
  /** Elements with any of these flags were skipped. */
  readonly skip: number;
  /** The reason for elements outside `kept`. */
  readonly outside: string;
  readonly banners: readonly Element[];
  readonly excluded: readonly Element[];
  /** True if `data:` images were omitted. */
  readonly dataImages: boolean;
  /** Also lists what no output can contain: embedded widgets, and form controls inside the content. */
  readonly isDetailed: boolean;
}

interface Entry {
  readonly reason: string;
  readonly element: Element;
  readonly words: number;
}

/** Lists the omitted parts, largest first: the outermost element of each, and the reason. */
export function listRemovedParts(input: RemovalInput): RemovedPart[] {
  const entries: Entry[] = [];
  const reasons = new Map<Element, string>();
  for (const element of input.banners) reasons.set(element, 'banner');
  for (const element of input.excluded) reasons.set(element, 'exclude_selectors');
  gather(input.body, { input, reasons, entries, kept: keptPaths(input.kept), inside: input.kept.includes(input.body) });
  return entries
    .sort((one, other) => other.words - one.words)
    .slice(0, input.isDetailed ? DETAILED_REMOVED_CAP : REMOVED_CAP)
    .map(({ reason, element, words }) => ({
      reason,
      selector: cssPathOf(element),
      words: Math.round(words),
      text: visibleLine(element, EXCERPT_CHARS) || nameOf(element),
    }));
}

interface Walk {
  readonly input: RemovalInput;
  readonly reasons: ReadonlyMap<Element, string>;
  readonly entries: Entry[];
  readonly kept: { readonly roots: ReadonlySet<Element>; readonly above: ReadonlySet<Element> };
  readonly inside: boolean;
}

function keptPaths(roots: readonly Element[]): Walk['kept'] {
  const above = new Set<Element>();
  for (const root of roots) for (let up = root.parent; up && !above.has(up); up = up.parent) above.add(up);
  return { roots: new Set(roots), above };
}

function gather(parent: Element, walk: Walk): void {
  for (const child of parent.children) {
    if (typeof child === 'string') continue;
    if ((child.flags & Flag.notRendered) === 0) gatherRendered(child, walk);
    else if (walk.input.isDetailed && EMBED_TAGS.has(child.tag))
      walk.entries.push({ reason: 'widget', element: child, words: 0 });
  }
}

/** Adds an element that was removed, or those in it. */
function gatherRendered(element: Element, walk: Walk): void {
  const { entries, input, kept } = walk;
  const { tag, words } = element;
  const inside = walk.inside || kept.roots.has(element);
  const reason = reasonFor(element, inside, walk);
  if (reason !== undefined) {
    if (words > 0 || containsImage(element)) entries.push({ reason, element, words });
  } else if (input.dataImages && isDataImage(element)) {
    entries.push({ reason: 'base64 image', element, words: 0 });
  } else if (input.isDetailed && CONTROL_TAGS.has(tag)) {
    if (words > 0) entries.push({ reason: 'form', element, words });
  } else gather(element, { ...walk, inside });
}

/** Returns why the whole element was omitted; undefined if it, or something in it, was kept. */
function reasonFor(element: Element, inside: boolean, { input, reasons, kept }: Walk): string | undefined {
  const reason = reasons.get(element);
  if (reason !== undefined && (element.flags & Flag.excluded) !== 0) return reason;
  if (kept.above.has(element)) return undefined;
  if ((element.flags & input.skip & (Flag.boilerplate | Flag.siteBlock)) !== 0) return boilerplateReasonOf(element);
  if (inside) return undefined;
  const chrome = (element.flags & Flag.boilerplate) !== 0 && input.outside === OUTSIDE_MAIN;
  return chrome ? boilerplateReasonOf(element) : input.outside;
}

/** Embedded documents, players and drawings, which no output contains. */
const EMBED_TAGS = new Set('iframe object embed applet video audio canvas'.split(' '));
const CONTROL_TAGS = new Set('button input textarea'.split(' '));

/** Returns a label for an element without text. */
const nameOf = ({ tag, attributes }: Element): string =>
  EMBED_TAGS.has(tag) ? collapseSpaces(attributes['title'] ?? attributes['src'] ?? '').slice(0, EXCERPT_CHARS) : '';

export const OUTSIDE_MAIN = 'outside the main content';
export const OUTSIDE_INCLUDED = 'outside include_selectors';

const REASON_BY_TAG: Readonly<Record<string, string>> = {
  nav: 'navigation',
  menu: 'navigation',
  header: 'header',
  footer: 'footer',
  aside: 'aside',
  dialog: 'dialog',
  form: 'form',
  search: 'form',
  button: 'form',
  input: 'form',
  select: 'form',
  textarea: 'form',
};
const REASON_BY_HINT: readonly [number, string][] = [
  [Hint.consent, 'banner'],
  [Hint.advert, 'advertisement'],
  [Hint.comment, 'comments'],
  [Hint.footer, 'footer'],
  [Hint.header, 'header'],
  [Hint.chrome, 'navigation'],
  [Hint.aside, 'related'],
  [Hint.meta, 'byline'],
];

/** Returns the kind of boilerplate. */
const boilerplateReasonOf = ({ tag, hints }: Element): string =>
  REASON_BY_TAG[tag] ?? REASON_BY_HINT.find(([hint]) => (hints & hint) !== 0)?.[1] ?? 'boilerplate';

const isDataImage = (element: Element): boolean =>
  element.tag === 'img' && /^\s*data:/i.test(element.attributes['src'] ?? '') && !hasOtherSource(element);

/** True for a placeholder whose real image has another URL: it was replaced, not removed. */
const hasOtherSource = ({ attributes, parent }: Element): boolean =>
  parent?.tag === 'picture' ||
  Object.keys(attributes).some((name) => /^(?:data-.*src|data-original|srcset)/.test(name));

const containsImage = (element: Element): boolean =>
  element.tag === 'img' || element.children.some((child) => isElement(child) && child.tag === 'img');

/** Returns a CSS path that selects the element, from the nearest id or from the root. */
export function cssPathOf(element: Element): string {
  const steps: string[] = [];
  for (let at: Element | undefined = element; at; at = at.parent) {
    const id = at.attributes['id'];
    if (id !== undefined && /^[A-Za-z][\w-]{0,79}$/.test(id)) {
      steps.unshift(`#${id}`);
      break;
    }
    steps.unshift(at.parent ? stepOf(at, at.parent) : at.tag);
  }
  return steps.join(' > ');
}

function stepOf(element: Element, parent: Element): string {
  const tag = /^[a-z][\w-]*$/.test(element.tag) ? element.tag : '*';
  if (tag === '*' || tag === 'body' || tag === 'head') return tag;
  const sameTag = parent.children.filter((child) => isElement(child) && child.tag === tag);
  return sameTag.length === 1 ? tag : `${tag}:nth-of-type(${sameTag.indexOf(element) + 1})`;
}
