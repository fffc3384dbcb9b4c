export { compileExpression } from './compile-expression.ts';
export { type Expression, ExpressionError, MAX_SOURCE } from './expression.ts';
export { FUNCTIONS, type FunctionEntry, OPERATORS } from './functions.ts';
export { COLUMN_TYPES, type ColumnType } from './shape/convert-cell.ts';
export {
  type CellFailure,
  type CompiledShape,
  compileShape,
  type Shape,
  type ShapeColumn,
  type ShapeProblem,
} from './shape/shape.ts';
export { type ShapedBatch, ShapeRunner } from './shape/shape-runner.ts';
export type { Members, Variable, VariableType } from './values.ts';
