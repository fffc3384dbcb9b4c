import { type Element, findFirst, visibleLine } from '../tree/page-tree.ts';
import { TITLE_CHARS } from './thresholds.ts';

const fold = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}\p{M}]+/gu, '');

/**
 * Returns the content's first heading if it repeats the page's title, which is a value of its own. A heading that is
 * the only text is kept.
 */
export function titleHeadingOf(
  roots: readonly Element[],
  title: string | undefined,
  skip: number,
): Element | undefined {
  const expected = fold(title ?? '');
  if (expected === '') return undefined;
  for (const root of roots) {
    const heading = firstHeading(root, skip);
    if (!heading) continue;
    const isTitle = heading.words < root.words && fold(visibleLine(heading, TITLE_CHARS)) === expected;
    return isTitle ? heading : undefined;
  }
  return undefined;
}

function firstHeading(root: Element, skip: number): Element | undefined {
  const isLeftOut = (element: Element): boolean => {
    for (let up: Element | undefined = element; up && up !== root; up = up.parent)
      if ((up.flags & skip) !== 0) return true;
    return false;
  };
  return findFirst(
    root,
    (element) => (element.tag === 'h1' || element.tag === 'h2') && element.words > 0 && !isLeftOut(element),
  );
}
