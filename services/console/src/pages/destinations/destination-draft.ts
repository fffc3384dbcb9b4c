import type { Body, Destination } from '@tidemark/sdk';

export const MODES = ['upsert', 'append', 'mirror'] as const;
export const DATASETS = ['pages', 'markdown', 'fields', 'changes', 'sitemap'] as const;
export const FORMATS = ['jsonl', 'csv', 'parquet'] as const;
export const COMPRESSIONS = ['none', 'gzip', 'zstd'] as const;
export const TYPES = ['text', 'int', 'double', 'bool', 'time', 'json'] as const;
export const KINDS = ['all', 'chosen', 'computed'] as const;
export const SCOPES = ['all', 'projects'] as const;

export interface ShapeColumn {
  /** Identifies the row of the form; a name may repeat while it is typed. */
  readonly key: number;
  readonly name: string;
  readonly expr: string;
  readonly type: (typeof TYPES)[number];
}

export interface DestinationDraft {
  readonly name: string;
  readonly connection: string;
  readonly dataset: (typeof DATASETS)[number];
  readonly mode: (typeof MODES)[number];
  readonly table: string;
  readonly path: string;
  readonly format: (typeof FORMATS)[number];
  readonly compression: (typeof COMPRESSIONS)[number];
  readonly scope: (typeof SCOPES)[number];
  readonly projects: readonly string[];
  readonly automatic: boolean;
  readonly freeze: boolean;
  readonly kind: (typeof KINDS)[number];
  readonly columns: readonly string[];
  readonly computed: readonly ShapeColumn[];
  readonly where: string;
}

const EMPTY: DestinationDraft = {
  name: '',
  connection: '',
  dataset: 'pages',
  mode: 'upsert',
  table: '',
  path: '',
  format: 'jsonl',

  compression: 'none',
  scope: 'all',
  projects: [],
  automatic: true,
  freeze: false,
  kind: 'all',
  columns: [],

  computed: [],
  where: '',
};

export const newDraft = (connection: string, project: string | undefined): DestinationDraft => ({
  ...EMPTY,
  connection,
  ...(project === undefined ? {} : { scope: 'projects', projects: [project] }),
});

const computedOf = (shape: Destination['shape']): readonly ShapeColumn[] =>
  (shape?.columns ?? []).map((column, key) => ({ key, ...column }));

/** Returns the draft of a stored destination. */
export function draftOf(destination: Destination): DestinationDraft {
  const { name, connectionId, dataset, mode, table, path, format, compression, shape, columns } = destination;
  const { scope, projects, automatic, freeze } = destination;
  const computed = computedOf(shape);
  return {
    name,
    connection: connectionId ?? '',
    dataset,
    mode,
    table: table ?? '',
    path: path ?? '',
    columns,

    format: format ?? 'jsonl',
    compression: compression ?? 'none',
    scope,
    projects,
    automatic,
    freeze,

    computed,
    where: shape?.where ?? '',
    kind: computed.length > 0 ? 'computed' : columns.length > 0 ? 'chosen' : 'all',
  };
}

/** Returns the shape of a draft; null: none. */
export function shapeOf({ kind, computed, where }: DestinationDraft) {
  const columns = computed
    .filter(({ name, expr }) => name !== '' || expr !== '')
    .map(({ name, expr, type }) => ({ name, expr, type }));
  const isComputed = kind === 'computed' && columns.length > 0;
  if (!isComputed && where.trim() === '') return null;
  return { ...(isComputed ? { columns } : {}), ...(where.trim() === '' ? {} : { where }) };
}

/** Returns the columns that are written by name. */
export const columnsOf = ({ kind, columns }: DestinationDraft): string[] => (kind === 'chosen' ? [...columns] : []);

/** Returns what a draft sends; a table has no folder, and files no table. */
export function bodyOf(draft: DestinationDraft, isTable: boolean): Body<'POST /destinations'> {
  const { name, connection, dataset, mode, scope, projects, automatic, freeze, table, path, format, compression } =
    draft;
  return {
    name,
    connection_id: connection,
    dataset,
    mode,
    automatic,
    scope,

    columns: columnsOf(draft),
    shape: shapeOf(draft),
    ...(scope === 'projects' ? { projects: [...projects] } : {}),
    ...(isTable ? { table, freeze } : { path, format, compression }),
  };
}

interface Issue {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
}

/** Returns the messages of a refusal: by field, and of computed columns by their position such as `columns.0`. */
export const messagesOf = (issues: readonly Issue[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    issues.map(({ loc, msg }) => {
      const path = loc.filter((part) => part !== 'body' && part !== 'shape');
      const key = path[0] === 'columns' && path.length > 1 ? `columns.${path[1]}` : String(path[0] ?? '');
      return [key, msg.charAt(0).toUpperCase() + msg.slice(1)];
    }),
  );
