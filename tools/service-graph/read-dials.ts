import { parseSync } from '@swc/core';
import { argumentsOf, child, children, literal, type Node, nameOf, spanOf, walk } from '../lints/ast.ts';

/** A call that connects to a service, or a use of `dial` from which the service can't be read. */
export interface Dial {
  readonly line: number;
  /** undefined: it can't be derived from the code. */
  readonly service: string | undefined;
}

/**
 * Returns what a file of a service dials: every call of a function or method `dial`, the first argument of which names the service. A file
 * that declares a function `dial` of its own means that one. @throws Error where the text is no TypeScript
 */
export function readDials(text: string): Dial[] {
  const source = `;${text}`;
  const tree: unknown = parseSync(source, { syntax: 'typescript', target: 'es2024' });
  const lineOf = lineFinder(source, tree);
  const isOwn = declaresDial(tree);
  const called = new Set<Node>();
  const found: Dial[] = [];
  walk(tree, (node) => {
    const callee = node.type === 'CallExpression' ? child(node, 'callee') : undefined;
    if (callee === undefined || !isDial(callee, isOwn)) return;
    called.add(callee);
    found.push({ line: lineOf(node), service: literal(argumentsOf(node)[0]) });
  });
  walk(tree, (node, inType) => {
    if (!inType && isAlias(node, called)) found.push({ line: lineOf(node), service: undefined });
  });
  return found;
}

const isDial = (callee: Node, isOwn: boolean): boolean =>
  callee.type === 'MemberExpression'
    ? isDialMember(callee)
    : !isOwn && callee.type === 'Identifier' && nameOf(callee) === 'dial';

const isDialMember = (node: Node): boolean => nameOf(child(node, 'property', 'Identifier')) === 'dial';

function declaresDial(tree: unknown): boolean {
  let isDeclared = false;
  walk(tree, (node) => {
    if (node.type === 'FunctionDeclaration' && nameOf(child(node, 'identifier')) === 'dial') isDeclared = true;
  });
  return isDeclared;
}

/** Whether `dial` gets another name: taken off its object without being called, destructured or imported under another name. */
function isAlias(node: Node, called: ReadonlySet<Node>): boolean {
  if (node.type === 'MemberExpression') return isDialMember(node) && !called.has(node);
  if (node.type === 'ImportSpecifier') return nameOf(child(node, 'imported')) === 'dial';
  if (node.type !== 'ObjectPattern') return false;
  return children(node, 'properties').some(
    (property) => property.type === 'KeyValuePatternProperty' && nameOf(child(property, 'key')) === 'dial',
  );
}

/** swc counts bytes over all files it has parsed; the first statement of each is the semicolon put before it. */
function lineFinder(source: string, tree: unknown): (node: Node) => number {
  let base: number | undefined;
  walk(tree, (node) => {
    if (node.type === 'EmptyStatement') base ??= spanOf(node)?.start;
  });
  const bytes = Buffer.from(source);
  return (node) => {
    const start = (spanOf(node)?.start ?? 0) - (base ?? 0);
    return bytes.subarray(0, start).toString().split('\n').length;
  };
}
