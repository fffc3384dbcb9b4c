import { compileExpression } from '../compile-expression.ts';
import { type Expression, ExpressionError } from '../expression.ts';
import type { Variable } from '../values.ts';
import { type ColumnType, convertCell } from './convert-cell.ts';

export interface ShapeColumn {
  readonly name: string;
  /** CEL over the columns of the dataset. */
  readonly expr: string;
  readonly type: ColumnType;
}

/** The rows and columns to write: one expression per column, and a condition that a row must meet. */
export interface Shape {
  readonly columns: readonly ShapeColumn[];
  readonly where?: string;
}

/** A fault of a shape. `at` is the path of the field: `columns.2.expr`, `where`. */
export interface ShapeProblem {
  readonly at: string;
  readonly message: string;
}

/** A cell that could not be computed; it is null in the row. `column` is undefined for the condition. */
export interface CellFailure {
  readonly column?: string;
  readonly message: string;
}

export interface ShapedRow {
  /** Undefined if the condition is not met, or could not be evaluated. */
  readonly row: Readonly<Record<string, unknown>> | undefined;
  readonly failures: readonly CellFailure[];
}

export interface CompiledShape {
  readonly columns: readonly { readonly name: string; readonly type: ColumnType }[];
  shape(row: Readonly<Record<string, unknown>>): ShapedRow;
}

const MAX_COLUMNS = 200;
/** Names are portable to every database: PostgreSQL cuts longer names silently at 63 bytes; names with an underscore first are reserved for columns that syncs add. */
const COLUMN_NAME = /^[a-z][a-z0-9_]{0,62}$/;

/** Compiles a shape, or returns every fault in it. */
export function compileShape(shape: Shape, variables: readonly Variable[]): CompiledShape | readonly ShapeProblem[] {
  const problems = nameProblems(shape.columns);
  const compile = (source: string, at: string): Expression | undefined => {
    try {
      return compileExpression(source, variables);
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      problems.push({ at, message: error.message });
      return undefined;
    }
  };
  const columns = shape.columns.flatMap(({ name, expr, type }, index) => {
    const expression = compile(expr, `columns.${index}.expr`);
    return expression === undefined ? [] : [{ name, type, expression }];
  });
  const where = shape.where === undefined ? undefined : compile(shape.where, 'where');
  return problems.length > 0 ? problems : { columns, shape: (row) => shapeRow(row, columns, where) };
}

function nameProblems(columns: readonly ShapeColumn[]): ShapeProblem[] {
  if (columns.length === 0 || columns.length > MAX_COLUMNS)
    return [{ at: 'columns', message: `expected 1 to ${MAX_COLUMNS} columns; there are ${columns.length}` }];
  const seen = new Set<string>();
  return columns.flatMap(({ name }, index) => {
    const at = `columns.${index}.name`;
    if (!COLUMN_NAME.test(name))
      return [
        {
          at,
          message: `expected a name of a-z, 0-9 and _ that begins with a letter, at most 63 characters; it is ${JSON.stringify(name.slice(0, 80))}`,
        },
      ];
    if (seen.has(name)) return [{ at, message: `the column ${name} exists twice` }];
    seen.add(name);
    return [];
  });
}

function shapeRow(
  row: Readonly<Record<string, unknown>>,
  columns: readonly { name: string; type: ColumnType; expression: Expression }[],
  where: Expression | undefined,
): ShapedRow {
  const failures: CellFailure[] = [];
  const attempt = (column: string | undefined, compute: () => unknown): unknown => {
    try {
      return compute();
    } catch (error) {
      const message = error instanceof Error ? error.message.slice(0, 300) : String(error);
      failures.push(column === undefined ? { message } : { column, message });
      return null;
    }
  };
  if (where !== undefined && attempt(undefined, () => requireBool(where.evaluate(row))) !== true)
    return { row: undefined, failures };
  const cells = columns.map(({ name, type, expression }) => [
    name,
    attempt(name, () => convertCell(expression.evaluate(row), type)),
  ]);
  return { row: Object.fromEntries(cells), failures };
}

function requireBool(value: unknown): boolean {
  if (typeof value !== 'boolean')
    throw new ExpressionError('the condition is not a bool; compare a value, for example words > 0');
  return value;
}
