import { isGeneratedName } from './generated-names.ts';
import { elementsFrom, type MarkupElement, type MarkupPage } from './markup-tree.ts';

/** An id or class as a selector may say it. https://drafts.csswg.org/cssom/#serialize-an-identifier */
export const cssName = (name: string): string =>
  name
    .replace(/[^a-zA-Z0-9_\u0080-\uffff-]/g, (char) =>
      char < ' ' ? `\\${char.charCodeAt(0).toString(16)} ` : `\\${char}`,
    )
    .replace(/^(-?)(\d)/, (_, dash: string, digit: string) => `${dash}\\3${digit} `)
    .replace(/^-$/, '\\-');

/** Ids that only one element of the page has. */
export function uniqueIds(page: MarkupPage): ReadonlySet<string> {
  const seen = new Map<string, number>();
  for (const element of elementsFrom(page.root)) {
    const id = element.attribute('id');
    if (id !== '') seen.set(id, (seen.get(id) ?? 0) + 1);
  }
  return new Set([...seen].flatMap(([id, times]) => (times === 1 ? [id] : [])));
}

const MAX_ID_CHARS = 100;

/** The way to an element from the nearest one above it that has a lasting id, by tags and places. */
export function structuralSelector(element: MarkupElement, ids: ReadonlySet<string>): string {
  const steps: string[] = [];
  for (let at: MarkupElement | undefined = element; at !== undefined; at = at.parent) {
    const id = at.attribute('id');
    if (id.length <= MAX_ID_CHARS && ids.has(id) && !isGeneratedName(id)) {
      steps.push(`#${cssName(id)}`);
      break;
    }
    steps.push(childStep(at));
    if (at.tag === 'body' || at.tag === 'head') break;
  }
  return steps.reverse().join(' > ');
}

/** A tag, and which of its kind it is where there are more. */
export function childStep(element: MarkupElement): string {
  const { tag, parent } = element;
  if (parent === undefined) return cssName(tag);
  const steps = childSteps.get(parent) ?? numberedSteps(parent);
  childSteps.set(parent, steps);
  return steps.get(element) ?? cssName(tag);
}

/** Trees don't change, and one parent is asked about for many children. */
const childSteps = new WeakMap<MarkupElement, ReadonlyMap<MarkupElement, string>>();

function numberedSteps(parent: MarkupElement): Map<MarkupElement, string> {
  const families = Map.groupBy(parent.elements, (child) => child.tag);
  const steps = new Map<MarkupElement, string>();
  for (const [tag, family] of families)
    family.forEach((child, at) => {
      steps.set(child, family.length === 1 ? cssName(tag) : `${cssName(tag)}:nth-of-type(${at + 1})`);
    });
  return steps;
}
