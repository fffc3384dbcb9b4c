import type { Element } from '@tidemark/page-reader/source';
import { isGeneratedName } from './generated-names.ts';
import { attributeIn, childElements, elementsFrom, type MarkupPage } from './markup-tree.ts';

/** Serialises an id or class name for a selector. https://drafts.csswg.org/cssom/#serialize-an-identifier */
export const cssName = (name: string): string =>
  name
    .replace(/[^a-zA-Z0-9_\u0080-\uffff-]/g, (char) =>
      char < ' ' ? `\\${char.charCodeAt(0).toString(16)} ` : `\\${char}`,
    )
    .replace(/^(-?)(\d)/, (_, dash: string, digit: string) => `${dash}\\3${digit} `)
    .replace(/^-$/, '\\-');

/** Quotes an attribute value for a selector. */
export const quoted = (value: string): string => `"${value.replace(/["\\]/g, '\\$&').replace(/\n/g, '\\a ')}"`;

/** Returns the ids that occur once in the page. */
export function uniqueIds(page: MarkupPage): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const element of elementsFrom(page.root)) {
    const id = attributeIn(element, 'id');
    if (id !== '') counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return new Set([...counts].flatMap(([id, times]) => (times === 1 ? [id] : [])));
}

const MAX_ID_CHARS = 100;

/** Returns a selector by tags and positions, starting at the nearest ancestor with a stable unique id. */
export function structuralSelector(element: Element, ids: ReadonlySet<string>): string {
  const steps: string[] = [];
  for (let at: Element | undefined = element; at !== undefined; at = at.parent) {
    const id = attributeIn(at, 'id');
    if (id.length <= MAX_ID_CHARS && ids.has(id) && !isGeneratedName(id)) {
      steps.push(`#${cssName(id)}`);
      break;
    }
    steps.push(childStep(at));
    if (at.tag === 'body' || at.tag === 'head') break;
  }
  return steps.reverse().join(' > ');
}

/** Returns the tag, with its position if siblings share the tag. */
export function childStep(element: Element): string {
  const { tag, parent } = element;
  if (parent === undefined) return cssName(tag);
  const steps = childSteps.get(parent) ?? numberedSteps(parent);
  childSteps.set(parent, steps);
  return steps.get(element) ?? cssName(tag);
}

/** Cache: trees are immutable, and many children of one parent are requested. */
const childSteps = new WeakMap<Element, ReadonlyMap<Element, string>>();

function numberedSteps(parent: Element): Map<Element, string> {
  const families = Map.groupBy(childElements(parent), (child) => child.tag);
  const steps = new Map<Element, string>();
  for (const [tag, family] of families)
    family.forEach((child, at) => {
      steps.set(child, family.length === 1 ? cssName(tag) : `${cssName(tag)}:nth-of-type(${at + 1})`);
    });
  return steps;
}
