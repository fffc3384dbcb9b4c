import type { OpenElements } from './open-elements.ts';
import { ruleOf, SCOPE, type TagRule } from './tag-rules.ts';

const SELECT = ruleOf('select', 0);
const CONTENT = new Set('option optgroup hr script template'.split(' '));
const ENDS = new Set('input keygen textarea select'.split(' '));

/**
 * Returns whether a start tag is read, and closes an open select that it ends:
 * https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inselect
 */
export function acceptsInSelect(open: OpenElements, rule: TagRule): boolean {
  if (!open.isOpen(SELECT) || CONTENT.has(rule.name)) return true;
  if (!ENDS.has(rule.name) && (rule.tableRole === undefined || open.context === undefined)) return false;
  open.closeInScope('select', SCOPE);
  return rule !== SELECT;
}

/** Returns whether an end tag is read, and closes an open select inside the table part that the tag ends. */
export function closesInSelect(open: OpenElements, rule: TagRule): boolean {
  if (!open.isOpen(SELECT) || rule === SELECT || CONTENT.has(rule.name)) return true;
  if (rule.tableRole === undefined || !open.isOpen(rule)) return false;
  open.closeInScope('select', SCOPE);
  return true;
}

/** True if a select is open, in which start tags close no paragraph. */
export const isInSelect = (open: OpenElements): boolean => open.isOpen(SELECT);
