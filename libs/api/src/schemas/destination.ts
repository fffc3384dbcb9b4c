import { COMPRESSIONS, DESTINATION_DATASETS, DESTINATION_FORMATS, DESTINATION_MODES } from '@tidemark/datasets';
import { isStorable } from '@tidemark/project-config';
import { SYNC_ERRORS, SYNC_STATUSES, Time } from '@tidemark/results';
import { z } from 'zod';
import { nameText } from './parts.ts';

export const DESTINATION_STATUSES = ['active', 'paused'] as const;
export const SHAPE_TYPES = ['text', 'int', 'double', 'bool', 'time', 'json'] as const;
export const SYNC_TRIGGERS = ['automatic', 'manual', 'resume', 'request'] as const;
export const SYNC_SOURCES = ['run', 'crawl', 'batch', 'scrape'] as const;

const MAX_COLUMNS = 200;
const MAX_PROJECTS = 100;
const storable = (max: number) =>
  z.string().max(max).refine(isStorable, 'a text must not contain NUL or a lone surrogate');

/** The syntax of shapes: columns and a condition in CEL. */
export const Shape = z
  .strictObject({
    columns: z
      .array(
        z.strictObject({
          name: z.string().min(1).max(63).describe('Name in the destination: a-z, 0-9 and _, beginning with a letter'),
          expr: storable(2_000).describe(
            'A CEL expression over the columns of the dataset; see GET /destinations/shape-functions',
          ),
          type: z.enum(SHAPE_TYPES).default('text').describe('Type of the column'),
        }),
      )
      .max(MAX_COLUMNS)
      .optional()
      .describe('Computed columns, instead of those of the dataset'),
    where: storable(2_000).optional().describe('A CEL condition: rows that do not meet it are left out'),
  })
  .meta({ id: 'Shape' });

const Columns = z.array(z.string().min(1).max(63)).max(MAX_COLUMNS).describe('Columns to write, in order; none: all');
const Dataset = z.enum(DESTINATION_DATASETS).describe('Rows to write; see GET /exports for their columns');
const Mode = z
  .enum(DESTINATION_MODES)
  .describe(
    'upsert: one row per page, the newest capture wins. append: the rows of every run. mirror: as upsert, and pages that a complete run no longer has are marked as deleted. changes are always appended',
  );
const Table = z.string().max(63).describe('Table of a database: a-z, 0-9 and _, beginning with a letter');
const Path = z.string().max(500).describe('Folder in a bucket or directory');
const Format = z.enum(DESTINATION_FORMATS).describe('Format of files');
const Compression = z.enum(COMPRESSIONS).describe('Compression of files');
const Automatic = z.boolean().describe('Whether each finished run is written');
const Freeze = z
  .boolean()
  .describe(
    'Of a table: a sync fails where the table lacks a column or has it with another type, instead of adding the column or leaving it out',
  );
const Name = nameText(100).min(1).describe('Name that people see');
const ConnectionId = z.string().min(1).max(100).describe('The connection, such as con_01j…');

/** Optional settings of a destination. */
export const destinationSettings = {
  dataset: Dataset.optional(),
  mode: Mode.optional(),
  table: Table.optional(),
  path: Path.optional(),
  format: Format.optional(),
  compression: Compression.optional(),
  columns: Columns.optional(),
  shape: Shape.nullable().optional().describe('Computed columns and a condition; null: none'),
  automatic: Automatic.optional(),
  freeze: Freeze.optional(),
};
const scope = {
  scope: z.enum(['all', 'projects']).optional().describe('all: every project; projects: those of `projects`'),
  projects: z.array(z.string().max(100)).max(MAX_PROJECTS).optional().describe('Ids of projects'),
};
const status = {
  status: z
    .enum(DESTINATION_STATUSES)
    .optional()
    .describe('active resumes a paused destination and writes the newest runs'),
};
const hasField = (patch: object): boolean => Object.values(patch).some((part) => part !== undefined);
const NO_FIELD = 'expected at least one field to change';

export const NewDestination = z
  .strictObject({ name: Name, connection_id: ConnectionId, ...scope, ...destinationSettings })
  .meta({ id: 'NewDestination' });
export const NewProjectDestination = z
  .strictObject({ name: Name, connection_id: ConnectionId, ...destinationSettings })
  .meta({ id: 'NewProjectDestination' });
export const DestinationPatch = z
  .strictObject({
    name: Name.optional(),
    connection_id: ConnectionId.optional(),
    ...scope,
    ...destinationSettings,
    ...status,
  })
  .refine(hasField, NO_FIELD)
  .meta({ id: 'DestinationPatch' });
export const ProjectDestinationPatch = z
  .strictObject({ name: Name.optional(), connection_id: ConnectionId.optional(), ...destinationSettings, ...status })
  .refine(hasField, NO_FIELD)
  .meta({ id: 'ProjectDestinationPatch' });

/** One write of a run or a job to a destination. */
export const Sync = z
  .object({
    id: z.string(),
    destinationId: z.string(),
    projectId: z.string().nullable().describe('null: a scrape, a batch or a crawl'),
    source: z.object({
      kind: z.enum(SYNC_SOURCES),
      id: z.string().describe('The run, the crawl or the job'),
    }),
    dataset: Dataset,
    mode: Mode,
    trigger: z
      .enum(SYNC_TRIGGERS)
      .describe(
        'automatic: a run finished; manual: it was started by hand or by a resume; request: a scrape, batch or crawl named the destination',
      ),
    status: z.enum(SYNC_STATUSES).describe('skipped: a newer run is in the destination, or was written instead'),
    rows: z.object({
      read: z.int(),
      written: z.int().describe('Added or changed'),
      unchanged: z.int(),
      deleted: z.int().describe('Marked as deleted (mirror)'),
      skipped: z.int().describe('Left out because the destination can not store them'),
    }),
    bytes: z.int().describe('Bytes of files; 0 for tables'),
    location: z.string().nullable().describe('Where the rows are'),
    warnings: z.array(z.string()),
    error: z
      .object({
        code: z.enum(SYNC_ERRORS),
        message: z.string().describe('What happened'),
        hint: z.string().describe('What to do'),
      })
      .nullable(),
    attempts: z.int(),
    nextAttemptAt: Time.nullable().describe('When a queued sync is tried again'),
    createdAt: Time,
    startedAt: Time.nullable(),
    finishedAt: Time.nullable(),
  })
  .meta({ id: 'Sync' });
export type Sync = z.output<typeof Sync>;

export const SyncResponse = Sync.extend({ creditsUsed: z.int(), request_id: z.string() }).meta({ id: 'SyncResponse' });

/** A database or a bucket to which rows are written. */
export const Destination = z
  .object({
    id: z.string(),
    name: z.string(),
    connectionId: z.string().nullable().describe('null: the connection was deleted'),
    provider: z.string().nullable(),
    projectId: z.string().nullable().describe('The project that owns it; null: the workspace'),
    scope: z.enum(['all', 'projects']),
    projects: z.array(z.string()),
    dataset: Dataset,
    mode: Mode,
    table: z.string().nullable().describe('null for files'),
    path: z.string().nullable().describe('null for tables'),
    format: Format.nullable(),
    compression: Compression.nullable(),
    columns: Columns,
    shape: z
      .object({
        columns: z.array(z.object({ name: z.string(), expr: z.string(), type: z.enum(SHAPE_TYPES) })),
        where: z.string().nullable(),
      })
      .nullable(),
    automatic: Automatic,
    freeze: Freeze,
    status: z.enum(DESTINATION_STATUSES),
    pausedReason: z.string().nullable(),
    createdAt: Time,
    updatedAt: Time,
    lastSync: Sync.nullable(),
  })
  .meta({ id: 'Destination' });
export type Destination = z.output<typeof Destination>;

export const DestinationResponse = Destination.extend({ creditsUsed: z.int(), request_id: z.string() }).meta({
  id: 'DestinationResponse',
});

export const StartedSyncs = z
  .object({ data: z.array(Sync).describe('One per project'), creditsUsed: z.int(), request_id: z.string() })
  .meta({ id: 'StartedSyncs' });

export const ShapePreview = z
  .strictObject({
    project_id: z.string().min(1).max(100).describe('The project, such as prj_01j…'),
    dataset: Dataset.default('pages'),
    shape: Shape.nullable().optional().describe('Computed columns and a condition; null: none'),
    columns: Columns.optional(),
    limit: z.int().min(1).max(100).default(20).describe('Rows to return'),
  })
  .meta({ id: 'ShapePreview' });

export const ShapedRows = z
  .object({
    runId: z.string().describe('The newest finished full run of the project'),
    columns: z.array(z.object({ name: z.string(), type: z.string() })),
    data: z.array(z.record(z.string(), z.unknown())),
    read: z.int().describe('Rows that were read to find them'),
    failed: z.int().describe('Cells that could not be computed; they are null'),
    failures: z
      .array(z.object({ column: z.string().nullable().describe('null: the condition'), message: z.string() }))
      .describe('The first of them'),
    creditsUsed: z.int(),
    request_id: z.string(),
  })
  .meta({ id: 'ShapedRows' });

export const ShapeFunctions = z
  .object({
    functions: z.array(
      z.object({
        name: z.string(),
        signature: z.string(),
        description: z.string(),
        example: z.string(),
        result: z.unknown().describe('Value of the example'),
      }),
    ),
    operators: z.array(z.string()),
    creditsUsed: z.int(),
    request_id: z.string(),
  })
  .meta({ id: 'ShapeFunctions' });

/** The state of the write of a job to the destination that it named. */
export const DestinationSync = z
  .object({
    id: z.string().nullable().describe('The sync; null until the job has ended'),
    destinationId: z.string(),
    status: z
      .enum(['pending', 'running', 'done', 'error', 'cancelled', 'skipped'])
      .describe('pending: the job has not ended, or its sync waits'),
    written: z.int(),
    skipped: z.int(),
    location: z.string().nullable(),
    error: z.string().nullable(),
  })
  .meta({ id: 'DestinationSync' });
export type DestinationSync = z.output<typeof DestinationSync>;
