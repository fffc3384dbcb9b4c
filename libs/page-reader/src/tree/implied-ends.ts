import type { OpenElements } from './open-elements.ts';
import { isInSelect } from './select-content.ts';
import type { TagRule } from './tag-rules.ts';

/** Closes the elements that a start tag ends, such as a paragraph before a block. */
export function closeImplied(open: OpenElements, rule: TagRule): void {
  if (rule.closes.length > 0 && !isInSelect(open))
    for (const { closes, id, barriers } of rule.closes) if (open.isOpenId(id)) open.closeInScope(closes, barriers);
  if (rule.isHeading && open.topRule?.isHeading) open.pop();
  if (rule.name !== 'option' && rule.name !== 'optgroup') return;
  if (open.topRule?.name === 'option') open.pop();
  if (rule.name === 'optgroup' && open.topRule?.name === 'optgroup') open.pop();
}
