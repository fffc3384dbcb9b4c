import type { OpenElements } from './open-elements.ts';
import type { TreeNode } from './page-tree.ts';
import { ruleOf, TABLE_SCOPE, type TableRole, type TagRule } from './tag-rules.ts';

const [COLUMNS, SECTION, ROW] = [ruleOf('colgroup', 0), ruleOf('tbody', 0), ruleOf('tr', 0)];
const OUTSIDE_CELLS: ReadonlySet<TableRole | undefined> = new Set(['table', 'section', 'row', 'columns']);

/** True if the innermost table, table part, cell or template contains only table parts. */
export const isOutsideCells = (open: OpenElements): boolean => OUTSIDE_CELLS.has(open.context?.tableRole);

/** True if content at the current position belongs before the table instead of inside it. */
export function isMisplaced(open: OpenElements): boolean {
  const role = open.topRule?.tableRole;
  return (role === 'table' || role === 'section' || role === 'row') && open.namespace === 'html';
}

/**
 * Closes and opens what the start tag of a table part requires: a row in a table needs a tbody. Returns false if the tag
 * is ignored, as it is outside tables: https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-intable
 */
export function enterTablePart(open: OpenElements, rule: TagRule, insert: (implied: TagRule) => void): boolean {
  for (;;) {
    const context = open.context?.tableRole;
    if (context === undefined) return false;
    if (context === 'template') return true;
    open.popToContext();
    const step = STEPS[rule.tableRole ?? 'cell'](context);
    if (step === 'insert') return true;
    if (step === 'close') open.pop();
    else insert(step);
  }
}

type Step = 'insert' | 'close' | TagRule;

/** What precedes a start tag in a context, by the tag. Cells and captions are closed by all of them. */
const STEPS: Readonly<Record<TableRole, (context: TableRole) => Step>> = {
  table: (context) => (context === 'table' ? 'insert' : 'close'),
  caption: (context) => (context === 'table' ? 'insert' : 'close'),
  columns: (context) => (context === 'table' ? 'insert' : 'close'),
  section: (context) => (context === 'table' ? 'insert' : 'close'),
  column: (context) => (context === 'columns' ? 'insert' : context === 'table' ? COLUMNS : 'close'),
  row: (context) => (context === 'section' ? 'insert' : context === 'table' ? SECTION : 'close'),
  cell: (context) => {
    if (context === 'row') return 'insert';
    if (context === 'table') return SECTION;
    return context === 'section' ? ROW : 'close';
  },
  template: () => 'insert',
};

/** Closes a table part by its end tag. */
export function leaveTablePart(open: OpenElements, rule: TagRule): void {
  if (rule.tableRole === 'column') return;
  open.closeInScope(rule.name, rule.tableRole === 'table' ? TEMPLATE : TABLE_SCOPE);
}
const TEMPLATE: ReadonlySet<string> = new Set(['template']);

/** Inserts a node before the innermost table: https://html.spec.whatwg.org/multipage/parsing.html#foster-parent */
export function fosterChild(open: OpenElements, node: TreeNode): void {
  const table = open.at(open.tableAt());
  const siblings = table?.parent?.children;
  if (table === undefined || siblings === undefined) return;
  const at = siblings.lastIndexOf(table);
  const before = siblings[at - 1];
  if (typeof node === 'string' && typeof before === 'string') siblings[at - 1] = before + node;
  else siblings.splice(at, 0, node);
}
