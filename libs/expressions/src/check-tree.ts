import type { parse } from '@bufbuild/cel';
import { ExpressionError } from './expression.ts';
import { FUNCTIONS } from './functions.ts';

export type Tree = ReturnType<typeof parse>['expr'];

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

/** Checks the size of an expression and that it uses known variables and functions only. @throws ExpressionError that names the first fault */
export function checkTree(tree: Tree, variables: readonly string[]): void {
  const open: { node: Tree | undefined; scope: Scope }[] = [
    { node: tree, scope: { names: new Set([...variables, ...TYPE_NAMES]), loops: 0 } },
  ];
  for (let nodes = 0, next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.node === undefined) continue;
    nodes += 1;
    if (nodes > MAX_NODES) throw new ExpressionError(`the expression has more than ${MAX_NODES} parts; shorten it`);
    open.push(...childrenOf(next.node, next.scope, variables));
  }
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
