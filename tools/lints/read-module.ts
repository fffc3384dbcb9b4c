import { parseSync } from '@swc/core';
import { argumentsOf, child, children, globalName, isRecord, type Node, nameOf, spanOf, walk } from './ast.ts';
import { type ImportForm, importIn } from './import-forms.ts';

/** One reference to another module, however it is written. */
export interface Import extends ImportForm {
  readonly line: number;
}

/** What the lints read from a file. */
export interface ModuleText {
  readonly imports: readonly Import[];
  /** Globals used as values: `fetch`, and `Date.now` for a property of one; `new Date()` for one made of nothing. */
  readonly globals: readonly { readonly name: string; readonly line: number }[];
  /** Lines that await a promise made of a timer alone: `await new Promise((resolve) => setTimeout(resolve, 100))`. */
  readonly sleeps: readonly number[];
  /** Lines that name `skip` or `todo` of jest's `describe`, `it` or `test`. */
  readonly skips: readonly number[];
  /** Lines of an object or list that spreads a literal of its own kind: `{ ...{ a, b } }`, `[...[a, b]]`. */
  readonly literalSpreads: readonly number[];
  /** Lines with the return type of a maker: `ReturnType<typeof makeX>`, `ReturnType<typeof openX>`. */
  readonly makerReturnTypes: readonly number[];
  /** Lines that spread an object into the argument of a maker: `makeX({ ...deps, y })`. */
  readonly spreadDependencies: readonly number[];
  /** Lines that send a statement to a database by themselves: `pool.query('SELECT …')`. */
  readonly rawStatements: readonly number[];
  /** Numbers above 2, and fractions, that have no name or are declared in this file: `words < 12`, `words * 0.3`, `const SHARE = 0.3`. */
  readonly numbers: readonly { readonly text: string; readonly line: number }[];
}

const GLOBAL_OBJECTS = new Set(['globalThis', 'global', 'window', 'self']);

/** Reads TypeScript with a real parser. @throws Error where the text is no TypeScript */
export function readModule(text: string, tsx = false): ModuleText {
  // The semicolon has a known place: every other place in swc's tree is counted from it.
  const tree: unknown = parseSync(`;${text.replace(/^#!/, '//')}`, { syntax: 'typescript', tsx, target: 'es2024' });
  const imports: Import[] = [];
  const globals: { name: string; line: number }[] = [];
  const lineOf = lineFinder(text, tree);
  const numbers: { text: string; line: number }[] = [];
  const lines: Record<LineList, number[]> = {
    sleeps: [],
    skips: [],
    literalSpreads: [],
    makerReturnTypes: [],
    spreadDependencies: [],
    rawStatements: [],
  };
  walk(tree, (node, inType) => {
    const first = lineOf(node);
    const found = importIn(node);
    if (found !== undefined) imports.push({ ...found, line: first });
    for (const [list, matches] of LINE_PATTERNS) if (matches(node)) lines[list].push(first);
    if (inType) return;
    for (const used of globalsIn(node)) globals.push({ name: used, line: first });
    const number = numberIn(node);
    if (number !== undefined) numbers.push({ text: number, line: first });
  });
  return { imports, globals, numbers, ...lines };
}

type LineList = Exclude<keyof ModuleText, 'imports' | 'globals' | 'numbers'>;

function globalsIn(node: Node): string[] {
  if (node.type === 'NewExpression') {
    const made = globalName(child(node, 'callee'));
    const given = node['arguments'];
    return made !== undefined && Array.isArray(given) && given.length === 0 ? [`new ${made}()`] : [];
  }
  if (node.type === 'MemberExpression') {
    const owner = globalName(child(node, 'object'));
    if (owner === undefined) return [];
    const property = nameOf(child(node, 'property', 'Identifier'));
    return GLOBAL_OBJECTS.has(owner) ? [property || `${owner}[…]`] : [`${owner}.${property}`];
  }
  if (node.type === 'VariableDeclarator' && GLOBAL_OBJECTS.has(globalName(child(node, 'init')) ?? '')) {
    return ['globalThis[…]'];
  }
  const name = globalName(node);
  return name === undefined ? [] : [name];
}

function isSleep(node: Node): boolean {
  const made = node.type === 'AwaitExpression' ? child(node, 'argument', 'NewExpression') : undefined;
  if (made === undefined || globalName(child(made, 'callee')) !== 'Promise') return false;
  let isTimed = false;
  walk(made, (inner) => {
    isTimed ||= inner.type === 'CallExpression' && globalName(child(inner, 'callee')) === 'setTimeout';
  });
  return isTimed;
}

const TEST_FUNCTIONS: readonly string[] = ['describe', 'it', 'test'];
const SKIPPING: readonly string[] = ['skip', 'todo'];

const isSkip = (node: Node): boolean =>
  node.type === 'MemberExpression' &&
  TEST_FUNCTIONS.includes(nameOf(child(node, 'object', 'Identifier'))) &&
  SKIPPING.includes(nameOf(child(node, 'property', 'Identifier')));

function spreadsLiteral(node: Node): boolean {
  if (node.type === 'SpreadElement') return child(node, 'arguments', 'ObjectExpression') !== undefined;
  const elements = node.type === 'ArrayExpression' ? node['elements'] : undefined;
  return Array.isArray(elements) && elements.some(isSpreadList);
}

const isSpreadList = (element: unknown): boolean =>
  isRecord(element) &&
  isRecord(element['spread']) &&
  isRecord(element['expression']) &&
  element['expression']['type'] === 'ArrayExpression';

const COMPARES: readonly unknown[] = ['<', '<=', '>', '>='];
const LARGEST_PLAIN_NUMBER = 2;
/** Status codes of HTTP have names in their standard. */
const STATUS = /status$/i;

/** Returns the number that a comparison, a product or a constant has. */
function numberIn(node: Node): string | undefined {
  if (node.type === 'VariableDeclarator') {
    return /^[A-Z][A-Z\d_]*$/.test(nameOf(child(node, 'id'))) ? numberOf(child(node, 'init'), true) : undefined;
  }
  if (node.type !== 'BinaryExpression') return undefined;
  const isComparison = COMPARES.includes(node['operator']);
  if (!isComparison && node['operator'] !== '*') return undefined;
  const [left, right] = [child(node, 'left'), child(node, 'right')];
  if (isStatus(left) || isStatus(right)) return undefined;
  return numberOf(right, isComparison) ?? numberOf(left, isComparison);
}

function isStatus(node: Node | undefined): boolean {
  const named = node?.type === 'MemberExpression' ? child(node, 'property') : node;
  return STATUS.test(nameOf(named));
}

/** Returns a numeric literal that needs a name: a fraction, or with `whole` any above 2. */
function numberOf(node: Node | undefined, whole: boolean): string | undefined {
  if (node?.type !== 'NumericLiteral' || typeof node['value'] !== 'number') return undefined;
  // Code points and masks are written in hexadecimal.
  if (typeof node['raw'] === 'string' && node['raw'].startsWith('0x')) return undefined;
  const value = node['value'];
  const needsName = Number.isInteger(value) ? whole && value > LARGEST_PLAIN_NUMBER : true;
  return needsName ? String(value) : undefined;
}

/** A function that makes a use case, or opens a part that must be closed. */
const MAKER = /^(make|open)[A-Z]/;

function isMakerReturnType(node: Node): boolean {
  if (node.type !== 'TsTypeReference' || nameOf(child(node, 'typeName', 'Identifier')) !== 'ReturnType') return false;
  const given = child(node, 'typeParams', 'TsTypeParameterInstantiation');
  const [query] = given === undefined ? [] : children(given, 'params');
  return query?.type === 'TsTypeQuery' && MAKER.test(nameOf(child(query, 'exprName', 'Identifier')));
}

function spreadsDependencies(node: Node): boolean {
  if (node.type !== 'CallExpression' || !MAKER.test(nameOf(child(node, 'callee', 'Identifier')))) return false;
  return argumentsOf(node).some(
    (argument) =>
      argument.type === 'ObjectExpression' &&
      children(argument, 'properties').some(
        (property) => property.type === 'SpreadElement' && isObjectOfAnotherPlace(child(property, 'arguments')),
      ),
  );
}

/** A call of `query` of a pool or client; statements of `libs/sql` are run by functions of other names. */
function isRawStatement(node: Node): boolean {
  const callee = node.type === 'CallExpression' ? child(node, 'callee', 'MemberExpression') : undefined;
  return (
    callee !== undefined && nameOf(child(callee, 'property', 'Identifier')) === 'query' && argumentsOf(node).length > 0
  );
}

/** A name or the field of one: `...deps`, `...app.deps`. What is computed on the spot states its fields there. */
const isObjectOfAnotherPlace = (spread: Node | undefined): boolean =>
  spread?.type === 'Identifier' || spread?.type === 'MemberExpression' || spread?.type === 'ThisExpression';

/** Returns a function that converts the byte offset of a node to its line. */
function lineFinder(text: string, tree: unknown): (node: Node) => number {
  let base: number | undefined;
  walk(tree, (node) => {
    if (node.type === 'EmptyStatement') base ??= spanOf(node)?.start;
  });
  const bytes = Buffer.from(text);
  const ends: number[] = [];
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) ends.push(at);
  const lineAt = (offset: number): number => {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
  const start = (base ?? 1) + 1;
  return (node) => {
    const span = spanOf(node);
    return span === undefined ? 1 : lineAt(span.start - start);
  };
}

/** The patterns of code whose lines are listed. */
const LINE_PATTERNS: readonly (readonly [list: LineList, matches: (node: Node) => boolean])[] = [
  ['sleeps', isSleep],
  ['skips', isSkip],
  ['literalSpreads', spreadsLiteral],
  ['makerReturnTypes', isMakerReturnType],
  ['spreadDependencies', spreadsDependencies],
  ['rawStatements', isRawStatement],
];
