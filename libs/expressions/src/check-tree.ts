import type { parse } from '@bufbuild/cel';
import { ExpressionError } from './expression.ts';
import { FUNCTIONS } from './functions.ts';
import type { Members, Variable } from './values.ts';

export type Tree = ReturnType<typeof parse>['expr'];
type Node = NonNullable<Tree>;

/** A parsed expression, and the place of each of its nodes by id. */
export interface ParsedSource {
  readonly tree: Tree;
  readonly positions: Readonly<Record<string, number>>;
}

/** Largest number of nodes of an expression. */
const MAX_NODES = 500;
/** Deepest nesting of `map`, `filter`, `exists`, `all` and `exists_one`: one more level multiplies the work by the length of a list. */
const MAX_LOOPS = 2;

const FUNCTION_NAMES = new Set(FUNCTIONS.map(({ name }) => name));
const TYPE_NAMES = new Set([
  'bool',
  'bytes',
  'double',
  'duration',
  'int',
  'list',
  'map',
  'null_type',
  'string',
  'timestamp',
  'type',
  'uint',
]);
/** Names of operators and of the steps of loops, as the parser writes them. */
const OPERATOR = /^[@_!-]/;

interface Scope {
  readonly names: ReadonlySet<string>;
  readonly loops: number;
}

/** Checks the size of an expression and that it uses known variables, members and functions only. @throws ExpressionError that names the first fault and its place */
export function checkTree(source: string, { tree, positions }: ParsedSource, variables: readonly Variable[]): void {
  const names = variables.map(({ name }) => name);
  const membersOf = new Map(variables.flatMap(({ name, members }) => (members === undefined ? [] : [[name, members]])));
  const open: { node: Tree | undefined; scope: Scope }[] = [
    { node: tree, scope: { names: new Set([...names, ...TYPE_NAMES]), loops: 0 } },
  ];
  for (let nodes = 0, next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, scope } = next;
    if (node === undefined) continue;
    nodes += 1;
    if (nodes > MAX_NODES) throw new ExpressionError(`the expression has more than ${MAX_NODES} parts; shorten it`);
    try {
      requireMember(node, membersOf);
      open.push(...childrenOf(node, scope, names));
    } catch (error) {
      throw error instanceof ExpressionError ? at(error, source, positions[String(node.id)]) : error;
    }
  }
}

/** Adds the place of a fault to its message. */
function at({ message }: ExpressionError, source: string, offset: number | undefined): ExpressionError {
  if (offset === undefined) return new ExpressionError(message);
  const before = source.slice(0, offset).split('\n');
  return new ExpressionError(`${message} (line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1})`, offset);
}

/** @throws ExpressionError if the node selects a member that its variable does not have */
function requireMember(node: Node, membersOf: ReadonlyMap<string, Members>): void {
  const members = membersOfNode(node, membersOf);
  if (members === undefined || members.members === 'any' || Object.hasOwn(members.members, members.member)) return;
  throw unknownName('member', members.member, Object.keys(members.members));
}

/** Returns the member that a node selects and the members of the value that it is selected from; undefined: none are known. */
function membersOfNode(
  { exprKind }: Node,
  membersOf: ReadonlyMap<string, Members>,
): { readonly member: string; readonly members: Members | 'any' } | undefined {
  const selected = selectedFrom(exprKind);
  if (selected === undefined) return undefined;
  const { operand, member } = selected;
  if (operand.exprKind.case === 'identExpr') {
    const members = membersOf.get(operand.exprKind.value.name);
    return members && { member, members };
  }
  const outer = membersOfNode(operand, membersOf);
  if (outer === undefined || outer.members === 'any' || !Object.hasOwn(outer.members, outer.member)) return undefined;
  return { member, members: outer.members[outer.member] ?? 'any' };
}

/** Returns the parts of `operand.member` and of `operand["member"]`. */
function selectedFrom(exprKind: Node['exprKind']): { readonly operand: Node; readonly member: string } | undefined {
  if (exprKind.case === 'selectExpr') {
    const { operand, field } = exprKind.value;
    return operand && { operand, member: field };
  }
  if (exprKind.case !== 'callExpr' || exprKind.value.function !== '_[_]') return undefined;
  const [operand, index] = exprKind.value.args;
  const constant = index?.exprKind.case === 'constExpr' ? index.exprKind.value.constantKind : undefined;
  return operand !== undefined && constant?.case === 'stringValue' ? { operand, member: constant.value } : undefined;
}

function childrenOf(
  node: Tree,
  scope: Scope,
  variables: readonly string[],
): { node: Tree | undefined; scope: Scope }[] {
  const { exprKind } = node;
  const within = (child: Tree | undefined) => ({ node: child, scope });
  switch (exprKind.case) {
    case 'identExpr':
      if (!scope.names.has(exprKind.value.name)) throw unknownName('variable', exprKind.value.name, variables);
      return [];
    case 'selectExpr':
      return [within(exprKind.value.operand)];
    case 'callExpr':
      requireFunction(exprKind.value.function);
      return [within(exprKind.value.target), ...exprKind.value.args.map(within)];
    case 'listExpr':
      return exprKind.value.elements.map(within);
    case 'structExpr':
      if (exprKind.value.messageName !== '')
        throw new ExpressionError(`messages such as ${exprKind.value.messageName} are not supported; use a map`);
      return exprKind.value.entries.flatMap(({ keyKind, value }) => [
        within(keyKind.case === 'mapKey' ? keyKind.value : undefined),
        within(value),
      ]);
    case 'comprehensionExpr': {
      const loop = exprKind.value;
      if (scope.loops === MAX_LOOPS) throw new ExpressionError(`loops are nested deeper than ${MAX_LOOPS} levels`);
      const names = new Set([...scope.names, loop.iterVar, loop.iterVar2, loop.accuVar]);
      const inside = { names, loops: scope.loops + 1 };
      return [
        within(loop.iterRange),
        ...[loop.accuInit, loop.loopCondition, loop.loopStep, loop.result].map((child) => ({
          node: child,
          scope: inside,
        })),
      ];
    }
    default:
      return [];
  }
}

function requireFunction(name: string): void {
  if (!OPERATOR.test(name) && !FUNCTION_NAMES.has(name)) throw unknownName('function', name, [...FUNCTION_NAMES]);
}

function unknownName(kind: string, name: string, known: readonly string[]): ExpressionError {
  const close = known.find((candidate) => candidate.toLowerCase() === name.toLowerCase());
  const list = known.length <= 60 ? known.join(', ') : `${known.slice(0, 60).join(', ')}, …`;
  const hint = close === undefined ? `known: ${list}` : `did you mean ${close}?`;
  return new ExpressionError(`there is no ${kind} ${name.slice(0, 100)}; ${hint}`);
}
