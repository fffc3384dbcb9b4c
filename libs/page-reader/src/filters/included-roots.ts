import { Element, Flag, inheritsFlag, isBlock } from '../tree/page-tree.ts';

/**
 * Wraps the matches of the include selectors for output, each element once: every match becomes a block of its own,
 * list items and cells get the list or table they need. Hidden and excluded elements are omitted.
 */
export function includedRoots(matches: readonly Element[], body: Element): Element[] {
  const selected = new Set(matches);
  const roots: Element[] = [];
  /** Wrappers created here; they have no counts yet. */
  const wrappers = new Set<Element>();
  let last: Element | undefined;
  let lastParent: Element | undefined;
  for (const match of matches) {
    if (inheritsFlag(match, Flag.notRendered | Flag.excluded) || isInside(match, selected)) continue;
    const wrapper = WRAPPER_TAGS[match.tag];
    if (last && wrapper && match.parent === lastParent) {
      append(last, match);
    } else {
      last = wrapperOf(match, body);
      wrappers.add(last);
      roots.push(wrapper === 'tr' ? wrap('table', last, body) : last);
    }
    lastParent = match.parent;
  }
  for (const root of roots) addCounts(root, wrappers);
  return roots;
}

const WRAPPER_TAGS: Readonly<Record<string, string>> = {
  li: 'ul',
  dt: 'dl',
  dd: 'dl',
  tr: 'table',
  tbody: 'table',
  thead: 'table',
  tfoot: 'table',
  caption: 'table',
  td: 'tr',
  th: 'tr',
};

function wrapperOf(match: Element, body: Element): Element {
  if (match.tag === 'html' || match.tag === 'body') return wrap('div', body, body);
  const tag = match.tag === 'li' && match.parent?.tag === 'ol' ? 'ol' : (WRAPPER_TAGS[match.tag] ?? 'div');
  return wrap(tag, match, body);
}

function wrap(tag: string, element: Element, body: Element): Element {
  const wrapper = new Element(tag, {}, body);
  append(wrapper, element);
  return wrapper;
}

function append(wrapper: Element, element: Element): void {
  // The body is not a block of its own: only its children are added.
  if (element.tag === 'body') wrapper.children.push(...element.children);
  else wrapper.children.push(element);
}

/** Sets the counts of the new wrappers, as `measurePage` would. */
function addCounts(wrapper: Element, wrappers: ReadonlySet<Element>): void {
  for (const child of wrapper.children) {
    if (typeof child === 'string') continue;
    if (wrappers.has(child)) addCounts(child, wrappers);
    wrapper.words += child.words;
    wrapper.linkWords += child.linkWords;
    wrapper.punctuation += child.punctuation;
    if (isBlock(child.tag) || (child.flags & Flag.hasBlock) !== 0) wrapper.flags |= Flag.hasBlock;
  }
}

function isInside(element: Element, selected: ReadonlySet<Element>): boolean {
  for (let up = element.parent; up; up = up.parent) if (selected.has(up)) return true;
  return false;
}
