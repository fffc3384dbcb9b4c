// Walks swc's syntax trees without trusting their shape: a lint must not break where the parser learns a new node.

export interface Node {
  readonly type: string;
  readonly [field: string]: unknown;
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isNode = (value: unknown): value is Node => isRecord(value) && typeof value['type'] === 'string';

// These hold expressions beside their type, so that what is under them runs.
const RUNS = new Set([
  'TsAsExpression',
  'TsSatisfiesExpression',
  'TsNonNullExpression',
  'TsConstAssertion',
  'TsTypeAssertion',
  'TsInstantiation',
  'TsExportAssignment',
  'TsEnumDeclaration',
  'TsEnumMember',
  'TsModuleDeclaration',
  'TsModuleBlock',
  'TsParameterProperty',
]);

/** Visits every node below a value, parents first; `inType` is true for a node that is erased before the program runs. */
export function walk(value: unknown, visit: (node: Node, inType: boolean) => void, inType = false): void {
  if (Array.isArray(value)) {
    for (const item of value) walk(item, visit, inType);
  } else if (isRecord(value)) {
    const erased = inType || (isNode(value) && value.type.startsWith('Ts') && !RUNS.has(value.type));
    if (isNode(value)) visit(value, erased);
    for (const [field, child] of Object.entries(value)) if (field !== 'span') walk(child, visit, erased);
  }
}

/** A node's child, where it is a node of one of these types. */
export function child(node: Node, field: string, ...types: readonly string[]): Node | undefined {
  const value = node[field];
  return isNode(value) && (types.length === 0 || types.includes(value.type)) ? value : undefined;
}

/** A node's list of nodes. */
export function children(node: Node, field: string): Node[] {
  const value = node[field];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** The arguments of a call. */
export function argumentsOf(call: Node): Node[] {
  const list = call['arguments'];
  if (!Array.isArray(list)) return [];
  return list.map((item: unknown) => (isRecord(item) ? item['expression'] : undefined)).filter(isNode);
}

/** The text of a string literal, or of a template without a hole. */
export function literal(node: Node | undefined): string | undefined {
  if (node === undefined) return undefined;
  if (node.type === 'TemplateLiteral') {
    const [only, ...more] = children(node, 'quasis');
    return more.length === 0 && typeof only?.['raw'] === 'string' ? only['raw'] : undefined;
  }
  return node.type === 'StringLiteral' && typeof node['value'] === 'string' ? node['value'] : undefined;
}

/** The name an identifier has; empty for anything else. */
export const nameOf = (node: Node | undefined): string =>
  node !== undefined && typeof node['value'] === 'string' ? node['value'] : '';

// swc resolves scopes as it parses and marks what no scope declares.
const UNRESOLVED = 1;

/** The name of a global variable, where the identifier names one. */
export const globalName = (node: Node | undefined): string | undefined =>
  node?.type === 'Identifier' && node['ctxt'] === UNRESOLVED ? nameOf(node) : undefined;

/** Where a node starts and ends, in the parser's own count of bytes. */
export function spanOf(node: Node): { start: number; end: number } | undefined {
  const span = node['span'];
  if (!isRecord(span)) return undefined;
  const { start, end } = span;
  return typeof start === 'number' && typeof end === 'number' ? { start, end } : undefined;
}
