import type { RemovedPart } from '../../domain/content-options.ts';
import { Hint } from '../tree/name-hints.ts';
import { collapseSpaces, type Element, Flag, isElement, visibleLine } from '../tree/page-tree.ts';

/** Parts told of a capture, and where somebody looks at just this page. */
const REMOVED_CAP = 200;
const DETAILED_REMOVED_CAP = 2_000;
const EXCERPT_CHARS = 200;

/** What was left out, by the step that did so. */
export interface RemovalInput {
  readonly body: Element;
  /** What the content was written from. */
  readonly kept: readonly Element[];
  /** Elements with any of these marks were skipped. */
  readonly skip: number;
  /** Why what is outside `kept` is. */
  readonly outside: string;
  readonly banners: readonly Element[];
  readonly excluded: readonly Element[];
  /** Whether `data:` pictures were left out. */
  readonly dataImages: boolean;
  /** Tells also of what can't be written at all: widgets, and controls in what is kept. */
  readonly isDetailed: boolean;
}

interface Entry {
  readonly reason: string;
  readonly element: Element;
  readonly words: number;
}

/** Tells what was left out of the content, the largest parts first: the outermost element of each, and why. */
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
    if ((child.flags & Flag.notRendered) !== 0) {
      if (walk.input.isDetailed && EMBED_TAGS.has(child.tag))
        walk.entries.push({ reason: 'widget', element: child, words: 0 });
      continue;
    }
    const inside = walk.inside || walk.kept.roots.has(child);
    const reason = reasonFor(child, inside, walk);
    if (reason !== undefined) {
      if (child.words > 0 || containsImage(child)) walk.entries.push({ reason, element: child, words: child.words });
    } else if (walk.input.dataImages && isDataImage(child)) {
      walk.entries.push({ reason: 'base64 image', element: child, words: 0 });
    } else if (walk.input.isDetailed && CONTROL_TAGS.has(child.tag)) {
      if (child.words > 0) walk.entries.push({ reason: 'form', element: child, words: child.words });
    } else gather(child, { ...walk, inside });
  }
}

/** Why an element as a whole was left out; undefined where it, or something in it, was kept. */
function reasonFor(element: Element, inside: boolean, { input, reasons, kept }: Walk): string | undefined {
  const reason = reasons.get(element);
  if (reason !== undefined && (element.flags & Flag.excluded) !== 0) return reason;
  if (kept.above.has(element)) return undefined;
  if ((element.flags & input.skip & Flag.boilerplate) !== 0) return boilerplateReasonOf(element);
  if (inside) return undefined;
  const chrome = (element.flags & Flag.boilerplate) !== 0 && input.outside === OUTSIDE_MAIN;
  return chrome ? boilerplateReasonOf(element) : input.outside;
}

/** Other sites' boxes, players and drawings: no form of the content has them. */
const EMBED_TAGS = new Set('iframe object embed applet video audio canvas'.split(' '));
const CONTROL_TAGS = new Set('button input textarea'.split(' '));

/** What an element that says nothing is known by. */
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

/** The kind of site furniture an element is. */
const boilerplateReasonOf = ({ tag, hints }: Element): string =>
  REASON_BY_TAG[tag] ?? REASON_BY_HINT.find(([hint]) => (hints & hint) !== 0)?.[1] ?? 'boilerplate';

const isDataImage = (element: Element): boolean =>
  element.tag === 'img' && /^\s*data:/i.test(element.attributes['src'] ?? '') && !hasOtherSource(element);

/** A placeholder whose real picture is told elsewhere was replaced, not removed. */
const hasOtherSource = ({ attributes, parent }: Element): boolean =>
  parent?.tag === 'picture' ||
  Object.keys(attributes).some((name) => /^(?:data-.*src|data-original|srcset)/.test(name));

const containsImage = (element: Element): boolean =>
  element.tag === 'img' || element.children.some((child) => isElement(child) && child.tag === 'img');

/** A CSS path that leads to the element: from the nearest id, or from the root. */
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
