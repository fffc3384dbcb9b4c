import { CHANGE_COLUMNS, EVIDENCE_COLUMNS, SITEMAP_COLUMNS, TEXT_COLUMNS } from './change-columns.ts';
import { type DatasetColumn, nullable } from './column.ts';
import { FIELD_KEY_COLUMNS, MARKDOWN_COLUMNS, PAGE_COLUMNS } from './page-columns.ts';

export const TABLE_FORMATS = ['jsonl', 'csv', 'parquet', 'xlsx'] as const;
export const EXPORT_FORMATS = [...TABLE_FORMATS, 'zip', 'txt', 'warc', 'wacz'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface Dataset {
  readonly name: DatasetName;
  readonly description: string;
  readonly columns: readonly DatasetColumn[];
  /** Columns that identify a row in a project. */
  readonly key: readonly string[];
  /** Whether the rows are stored once per run, and not once per site. */
  readonly isOfRun: boolean;
  /** The first is the default. */
  readonly formats: readonly ExportFormat[];
}

export const DATASET_NAMES = [
  'pages',
  'markdown',
  'changes',
  'fields',
  'sitemap',
  'llms',
  'llms-full',
  'evidence',
] as const;
export type DatasetName = (typeof DATASET_NAMES)[number];

/** What can be exported. Headers, schemas, `GET /exports` and the documentation are derived from this table. */
export const DATASETS: readonly Dataset[] = [
  {
    name: 'pages',
    description: 'One row per page of a run: verdict, cost, title, links to it',
    isOfRun: true,
    columns: PAGE_COLUMNS,
    key: ['url'],
    formats: TABLE_FORMATS,
  },
  {
    name: 'markdown',
    description: 'The content of each page that has markdown',
    isOfRun: true,
    columns: MARKDOWN_COLUMNS,
    key: ['url'],
    formats: [...TABLE_FORMATS, 'zip'],
  },
  {
    name: 'changes',
    description: "The entries of a run's change record",
    isOfRun: true,
    columns: CHANGE_COLUMNS,
    key: ['id'],
    formats: TABLE_FORMATS,
  },
  {
    name: 'fields',
    description: 'The configured fields of each page, one column per field',
    isOfRun: true,
    columns: FIELD_KEY_COLUMNS,
    key: ['url'],
    formats: TABLE_FORMATS,
  },
  {
    name: 'sitemap',
    description: 'The URLs of the stored sitemap tree',
    isOfRun: false,
    columns: SITEMAP_COLUMNS,
    key: ['url'],
    formats: TABLE_FORMATS,
  },
  {
    name: 'llms',
    description: 'llms.txt of the site: titles, links and descriptions by section',
    isOfRun: true,
    columns: TEXT_COLUMNS,
    key: [],
    formats: ['txt'],
  },
  {
    name: 'llms-full',
    description: 'llms-full.txt of the site: the content of every page',
    isOfRun: true,
    columns: TEXT_COLUMNS,
    key: [],
    formats: ['txt'],
  },
  {
    name: 'evidence',
    description:
      'A web archive of the run: requests, responses with the received bytes where they are stored (format rawHtml), and a receipt per page with URL, time, SHA-256, verdict and engine',
    isOfRun: true,
    columns: EVIDENCE_COLUMNS,
    key: [],
    formats: ['wacz', 'warc'],
  },
];

/** A field of a run's configuration. */
export interface ConfiguredField {
  readonly name: string;
  readonly type: 'text' | 'number';
  readonly isMany: boolean;
}

/** Returns the columns of the fields dataset of a run: its key, then a column per configured field. */
export function fieldColumns(fields: readonly ConfiguredField[]): readonly DatasetColumn[] {
  return [
    ...FIELD_KEY_COLUMNS,
    ...fields.map(({ name, type, isMany }) =>
      nullable(name, isMany ? 'json' : type === 'number' ? 'double' : 'text', 'Configured field'),
    ),
  ];
}
