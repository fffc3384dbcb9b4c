import { DATASETS, type DatasetColumn } from '@tidemark/datasets';
import { AppError } from '@tidemark/errors';
import { COLUMN_TYPES, type ColumnType, compileShape, type Shape, type Variable } from '@tidemark/expressions';
import { z } from 'zod';
import { invalid } from '../domain/connection-values.ts';
import type { DestinationShape } from '../domain/destination.ts';

const ShapeJson = z.object({
  columns: z.array(z.object({ name: z.string(), expr: z.string(), type: z.enum(COLUMN_TYPES) })).default([]),
  where: z.string().optional(),
});

/** Column of a shape that only filters: its rows are those of the dataset. */
const FILTER_ONLY: Shape['columns'] = [{ name: 'row', expr: 'true', type: 'bool' }];

/** Types of the variables of expressions, by the type of their column. */
const VARIABLE_TYPES: Readonly<Record<DatasetColumn['type'], Variable['type']>> = {
  text: 'text',
  int: 'int',
  int64: 'int',
  double: 'double',
  bool: 'bool',
  time: 'time',
  list: 'list',
  json: 'json',
};
const TYPES: Readonly<Record<ColumnType, DatasetColumn['type']>> = {
  text: 'text',
  int: 'int64',
  double: 'double',
  bool: 'bool',
  time: 'time',
  json: 'json',
};

/** Returns the variables of expressions over rows with these columns. */
export const variablesOf = (columns: readonly DatasetColumn[]): Variable[] =>
  columns.map(({ name, type }) => ({ name, type: VARIABLE_TYPES[type] }));

/** Returns the shape to compile; undefined where the rows of the dataset are written as they are. */
export function toCompiledShape(shape: DestinationShape | undefined): Shape | undefined {
  if (shape === undefined) return undefined;
  const columns = shape.columns.length === 0 ? FILTER_ONLY : shape.columns.map(toShapeColumn);
  return shape.where === undefined ? { columns } : { columns, where: shape.where };
}

const toShapeColumn = ({ name, expr, type }: DestinationShape['columns'][number]): Shape['columns'][number] => ({
  name,
  expr,
  type: COLUMN_TYPES.find((known) => known === type) ?? 'text',
});

/** Returns the columns that a destination writes: those of its shape, or of its dataset under their names in tables. */
export const outputColumns = (
  shape: DestinationShape | undefined,
  tableColumns: readonly DatasetColumn[],
): readonly DatasetColumn[] =>
  shape === undefined || shape.columns.length === 0
    ? tableColumns
    : shape.columns.map(({ name, expr, type }) => ({
        name,
        description: expr,
        isNullable: true,
        type: TYPES[COLUMN_TYPES.find((known) => known === type) ?? 'text'],
      }));

/** Parses and compiles the shape of a destination. @throws AppError validation with every fault, each naming its column */
export function parseShape(json: string, dataset: string): DestinationShape {
  const parsed = ShapeJson.safeParse(JSON.parse(json));
  if (!parsed.success) throw invalid(['shape'], 'expected {columns: [{name, expr, type}], where}');
  const { columns, where } = parsed.data;
  if (columns.length === 0 && where === undefined) throw invalid(['shape'], 'expected columns, where, or both');
  const shape: DestinationShape = { columns, where };
  const of = DATASETS.find(({ name }) => name === dataset);
  const compiled = compileShape(
    toCompiledShape(shape) ?? { columns: FILTER_ONLY },
    variablesOf(dataset === 'fields' ? [...(of?.columns ?? []), FIELDS_VARIABLE] : (of?.columns ?? [])),
  );
  if ('shape' in compiled) return shape;
  const faults = compiled.map(({ at, message }) => ({ at, message, column: columnAt(at, columns) }));
  const detail = faults.map(({ at, message }) => ({
    loc: ['body', 'shape', ...at.split('.')],
    msg: message,
    type: 'shape',
  }));
  const text = faults.map(({ at, message, column }) => `shape.${at}${column === '' ? '' : ` (${column})`}: ${message}`);
  throw new AppError('validation', text.join('; '), { detail });
}

/** In the dataset `fields`, expressions read the configured fields as members of `fields`: their names differ between projects. */
export const FIELDS_VARIABLE: DatasetColumn = {
  name: 'fields',
  type: 'json',
  isNullable: false,
  description: 'The configured fields by name',
};

function columnAt(at: string, columns: readonly { readonly name: string }[]): string {
  const index = /^columns\.(\d+)\./.exec(at)?.[1];
  return index === undefined ? '' : (columns[Number(index)]?.name.slice(0, 80) ?? '');
}
