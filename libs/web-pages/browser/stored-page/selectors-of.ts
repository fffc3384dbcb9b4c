import { attributeOf, childrenOf, classesOf, find, nameOf, parentOf } from './page-access.ts';

/** Longest path of a selector, elements. */
const MAX_DEPTH = 200;
const MAX_CLASSES = 4;
const MAX_CLASS_LENGTH = 60;
/** Selectors for an element alone, and for those like it. */
const MAX_ALONE = 3;
const MAX_LIKE = 5;

/** Returns how many elements of the page match; 0 for an invalid selector. */
export function countOf(selector: string): number {
  try {
    return find(selector).length;
  } catch {
    return 0;
  }
}

/** Returns the selector of an id; undefined for an id that looks generated. */
function idOf(node: Element): string | undefined {
  const id = attributeOf(node, 'id');
  return id === null || !/^[A-Za-z][\w-]*$/.test(id) ? undefined : `#${CSS.escape(id)}`;
}

const classNames = (node: Element): string[] =>
  [...classesOf(node)]
    .filter((name) => name.length <= MAX_CLASS_LENGTH)
    .slice(0, MAX_CLASSES)
    .map((name) => `.${CSS.escape(name)}`);

/** Returns the position of an element among its siblings of the same name. */
function stepOf(node: Element): string {
  const name = CSS.escape(nameOf(node));
  const above = parentOf(node);
  const siblings = above === null ? [node] : [...childrenOf(above)].filter((one) => nameOf(one) === nameOf(node));
  return siblings.length === 1 ? name : `${name}:nth-of-type(${siblings.indexOf(node) + 1})`;
}

/** Returns a path from the nearest ancestor with an id, or from the body. */
function pathOf(node: Element, body: Element): string {
  const steps: string[] = [];
  for (let at: Element | null = node; at !== null && at !== body && steps.length < MAX_DEPTH; at = parentOf(at)) {
    const id = idOf(at);
    if (id !== undefined && countOf(id) === 1) return [id, ...steps].join(' > ');
    steps.unshift(stepOf(at));
  }
  return ['body', ...steps].join(' > ');
}

/** Returns selectors of an element: for it alone first, the shortest first; then for those like it, the fewest first. */
export function selectorsOf(node: Element, body: Element): string[] {
  if (node === body) return ['body'];
  const name = CSS.escape(nameOf(node));
  const classes = classNames(node);
  const above = parentOf(node);
  const around = above === null || above === body ? [] : [idOf(above), ...classNames(above)];
  const all = [
    idOf(node),
    ...classes,
    classes.length > 1 ? classes.join('') : undefined,
    ...around.map((one) => (one === undefined ? undefined : `${one} > ${name}`)),
    name,
    pathOf(node, body),
  ].filter((one) => one !== undefined);
  const found = [...new Set(all)].map((selector) => ({ selector, count: countOf(selector) }));
  const alone = found.filter(({ count }) => count === 1).sort((a, b) => a.selector.length - b.selector.length);
  const like = found.filter(({ count }) => count > 1).sort((a, b) => a.count - b.count);
  return [...alone.slice(0, MAX_ALONE), ...like.slice(0, MAX_LIKE)].map(({ selector }) => selector);
}
