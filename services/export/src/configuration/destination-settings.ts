import { textOrEmpty } from '@tidemark/contracts';
import type { DestinationSettings } from '@tidemark/contracts/export/v1/destinations';
import {
  COMPRESSIONS,
  DATASETS,
  type DatasetColumn,
  DESTINATION_DATASETS,
  DESTINATION_FORMATS,
  DESTINATION_MODES,
} from '@tidemark/datasets';
import type { AppError } from '@tidemark/errors';
import type { DriverKind } from '../destinations/driver.ts';
import { toSnakeCase } from '../destinations/meta-columns.ts';
import { invalid, parseName } from '../domain/connection-values.ts';
import type { DestinationFields, DestinationShape } from '../domain/destination.ts';
import { outputColumns, parseShape } from '../shapes/parse-shape.ts';

const MAX_PROJECTS = 100;
/** Portable to every database: PostgreSQL cuts longer names silently at 63 bytes. */
const TABLE = /^[a-z][a-z0-9_]{0,62}$/;
/** Segments that every store accepts and that no store reads as a parent folder. */
const PATH = /^(?!\.{1,2}(\/|$))[A-Za-z0-9._=-]{1,100}(\/(?!\.{1,2}(\/|$))[A-Za-z0-9._=-]{1,100})*$/;
const MAX_PATH = 500;

/** The owner of a destination and the kind of its connection. */
export interface SettingsContext {
  /** Undefined: shared by the workspace. */
  readonly projectId: string | undefined;
  readonly connectionId: string | undefined;
  /** Undefined: the connection was deleted. */
  readonly kind: DriverKind | undefined;
}

/** Returns the fields of a destination with its settings applied. `now`: its current fields; undefined: it is new. @throws AppError validation */
export function applySettings(
  now: DestinationFields | undefined,
  settings: DestinationSettings,
  { projectId, connectionId, kind }: SettingsContext,
): DestinationFields {
  const name = settings.name === undefined ? (now?.name ?? '') : parseName(settings.name);
  const dataset = choice('dataset', settings.dataset ?? now?.dataset ?? 'pages', DESTINATION_DATASETS);
  const isOtherDataset = now !== undefined && dataset !== now.dataset;
  const shape = shapeOf(isOtherDataset ? undefined : now?.shape, settings.shapeChange, dataset);
  const columns = settings.columns?.values ?? (isOtherDataset ? [] : (now?.columns ?? []));
  requireColumns(columns, shape, dataset);
  return {
    name,
    connectionId,
    dataset,
    shape,
    columns,
    ...scopeOf(now, settings, projectId),
    mode: modeOf(isOtherDataset ? undefined : now?.mode, settings.mode, { dataset, kind }),
    ...placeOf(now, settings, kind, dataset),
    automatic: settings.automatic ?? now?.automatic ?? true,
    freeze: freezeOf(now, settings, kind),
  };
}

function shapeOf(
  now: DestinationShape | undefined,
  change: DestinationSettings['shapeChange'],
  dataset: string,
): DestinationShape | undefined {
  if (change === undefined) return now;
  // A version before `no_shape` sends an empty text to remove the shape.
  return change.$case === 'noShape' || change.value === '' ? undefined : parseShape(change.value, dataset);
}

function scopeOf(now: DestinationFields | undefined, settings: DestinationSettings, projectId: string | undefined) {
  if (projectId !== undefined) return { scope: 'projects' as const, projects: [projectId] };
  const given = settings.projects?.values;
  const scope = choice('scope', settings.scope ?? now?.scope ?? 'all', ['all', 'projects'] as const);
  const projects = [...new Set(given ?? (scope === 'all' ? [] : (now?.projects ?? [])))];
  if (scope === 'all' && projects.length > 0)
    throw invalid(['projects'], 'expected no projects with the scope all; set the scope to projects');
  if (scope === 'projects' && (projects.length === 0 || projects.length > MAX_PROJECTS))
    throw invalid(['projects'], `expected 1 to ${MAX_PROJECTS} projects with the scope projects`);
  return { scope, projects };
}

function modeOf(
  now: DestinationFields['mode'] | undefined,
  given: string | undefined,
  { dataset, kind }: { readonly dataset: string; readonly kind: DriverKind | undefined },
): DestinationFields['mode'] {
  const supported = (kind?.modes ?? DESTINATION_MODES).filter((mode) => dataset !== 'changes' || mode === 'append');
  // Every store supports append.
  const fallback = kind === undefined ? 'append' : supported[0];
  if (fallback === undefined) throw invalid(['mode'], `the connection does not support the dataset ${dataset}`);
  const mode = given ?? (now !== undefined && supported.includes(now) ? now : fallback);
  return choice('mode', mode, supported);
}

function placeOf(
  now: DestinationFields | undefined,
  settings: DestinationSettings,
  kind: DriverKind | undefined,
  dataset: string,
): Place {
  const stores = kind?.stores ?? (now?.table === '' ? 'files' : 'table');
  const foreign = stores === 'table' ? (['path', 'format', 'compression'] as const) : (['table'] as const);
  const unexpected = foreign.find((name) => textOrEmpty(settings[name]) !== '');
  if (unexpected !== undefined)
    throw invalid(
      [unexpected],
      `the connection stores ${stores === 'table' ? 'tables' : 'files'}; expected no ${unexpected}`,
    );
  return stores === 'table' ? tableOf(now, settings, dataset) : filesOf(now, settings);
}

type Place = Pick<DestinationFields, 'table' | 'path' | 'format' | 'compression'>;

function tableOf(now: DestinationFields | undefined, settings: DestinationSettings, dataset: string): Place {
  const table = textOrEmpty(settings.table) || now?.table || `tidemark_${dataset}`;
  if (!TABLE.test(table))
    throw invalid(['table'], 'expected a name of a-z, 0-9 and _ that begins with a letter, at most 63 characters');
  return { table, path: '', format: '', compression: '' };
}

function filesOf(now: DestinationFields | undefined, settings: DestinationSettings): Place {
  const path = settings.path ?? now?.path ?? 'tidemark';
  if (path !== '' && (path.length > MAX_PATH || !PATH.test(path)))
    throw invalid(
      ['path'],
      `expected names of letters, digits and . _ = - between single slashes, at most ${MAX_PATH} characters`,
    );
  const format = choice('format', textOrEmpty(settings.format) || now?.format || 'jsonl', DESTINATION_FORMATS);
  const compression = choice(
    'compression',
    textOrEmpty(settings.compression) || now?.compression || 'none',
    COMPRESSIONS,
  );
  if (format === 'parquet' && compression !== 'none')
    throw invalid(['compression'], 'expected none: a Parquet file is compressed inside');
  return { table: '', path, format, compression };
}

function freezeOf(
  now: DestinationFields | undefined,
  settings: DestinationSettings,
  kind: DriverKind | undefined,
): boolean {
  const isOfFiles = (kind?.stores ?? (now?.table === '' ? 'files' : 'table')) === 'files';
  if (isOfFiles && settings.freeze === true)
    throw invalid(['freeze'], 'the connection stores files, which have the columns of their run; expected false');
  return !isOfFiles && (settings.freeze ?? now?.freeze ?? false);
}

/** Requires columns that the destination has. The columns of `fields` depend on the run. */
function requireColumns(columns: readonly string[], shape: DestinationShape | undefined, dataset: string): void {
  const doubled = columns.find((name, at) => columns.indexOf(name) !== at);
  if (doubled !== undefined) throw invalid(['columns'], `the column ${doubled} is given twice`);
  const of = DATASETS.find(({ name }) => name === dataset);
  if (of === undefined || (dataset === 'fields' && (shape?.columns.length ?? 0) === 0)) return;
  const known = outputColumns(shape, of.columns.map(toTableColumn)).map(({ name }) => name);
  const unknown = columns.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw invalid(['columns'], `there is no column ${unknown}; the columns are ${known.join(', ')}`);
}

/** Returns a column of a dataset under its name in tables. */
export const toTableColumn = (column: DatasetColumn): DatasetColumn => ({ ...column, name: toSnakeCase(column.name) });

function choice<T extends string>(field: string, value: string, known: readonly T[]): T {
  const found = known.find((each) => each === value);
  if (found === undefined) throw unknownChoice(field, known);
  return found;
}

const unknownChoice = (field: string, known: readonly string[]): AppError =>
  invalid([field], `expected one of ${known.join(', ')}`);
