import { Element, isBlock, isMarked, Mark } from '../tree/page-tree.ts';

/**
 * What the include selectors matched, each element once, ready to be written: every match stands in a block of its own,
 * and items and cells in the list or table they need. Elements that are not shown or are left out are no content.
 */
export function includedRoots(matches: readonly Element[], body: Element): Element[] {
  const chosen = new Set(matches);
  const roots: Element[] = [];
  /** Holders made here, which nothing has weighed. */
  const made = new Set<Element>();
  let last: Element | undefined;
  let lastParent: Element | undefined;
  for (const match of matches) {
    if (isMarked(match, Mark.unseen | Mark.excluded) || isInside(match, chosen)) continue;
    const holder = HOLDERS[match.tag];
    if (last && holder && match.parent === lastParent) {
      hold(last, match);
    } else {
      last = holderOf(match, body);
      made.add(last);
      roots.push(holder === 'tr' ? within('table', last, body) : last);
    }
    lastParent = match.parent;
  }
  for (const root of roots) weigh(root, made);
  return roots;
}

const HOLDERS: Readonly<Record<string, string>> = {
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

function holderOf(match: Element, body: Element): Element {
  if (match.tag === 'html' || match.tag === 'body') return within('div', body, body);
  const tag = match.tag === 'li' && match.parent?.tag === 'ol' ? 'ol' : (HOLDERS[match.tag] ?? 'div');
  return within(tag, match, body);
}

function within(tag: string, element: Element, body: Element): Element {
  const holder = new Element(tag, {}, body);
  hold(holder, element);
  return holder;
}

function hold(holder: Element, element: Element): void {
  // The body is a place and not a block: what is in it is held.
  if (element.tag === 'body') holder.children.push(...element.children);
  else holder.children.push(element);
}

/** Words and shape of the holders made here, as measuring would have them. */
function weigh(holder: Element, made: ReadonlySet<Element>): void {
  for (const child of holder.children) {
    if (typeof child === 'string') continue;
    if (made.has(child)) weigh(child, made);
    holder.words += child.words;
    holder.linkWords += child.linkWords;
    holder.stops += child.stops;
    if (isBlock(child.tag) || (child.marks & Mark.blocky) !== 0) holder.marks |= Mark.blocky;
  }
}

function isInside(element: Element, chosen: ReadonlySet<Element>): boolean {
  for (let up = element.parent; up; up = up.parent) if (chosen.has(up)) return true;
  return false;
}
