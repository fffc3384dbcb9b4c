import { type Element, Flag, isElement } from '../tree/page-tree.ts';
import { isLeftOut } from './prose.ts';
import { FACETS_LABEL_WORDS, FACETS_MIN_LABELS } from './thresholds.ts';

/** Marks groups of labels, which belong to controls such as filters. */
export function dropFacets(root: Element): void {
  const labels: Element[] = [];
  const collect = (element: Element): void => {
    for (const child of element.children) {
      if (!isElement(child) || isLeftOut(child) || child.words === 0) continue;
      if (child.tag === 'label') {
        if (child.words <= FACETS_LABEL_WORDS) labels.push(child);
      } else collect(child);
    }
  };
  collect(root);
  if (labels.length >= FACETS_MIN_LABELS) for (const label of labels) label.flags |= Flag.boilerplate;
}
