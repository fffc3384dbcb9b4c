import type { ExportDatasetRequest, ExportDatasetResponse } from '@tidemark/contracts/export/v1/export';
import {
  COMPRESSIONS,
  type DatasetColumn as Column,
  type Compression,
  DATASETS,
  type Dataset,
  type ExportFormat,
} from '@tidemark/datasets';
import { AppError } from '@tidemark/errors';
import { callerOf, type FairQueue, type HandlerContext } from '@tidemark/service';
import { compress } from '../formats/compress.ts';
import type { CsvOptions } from '../formats/csv.ts';
import { FORMATS } from '../formats/encode-table.ts';
import { ahead } from './ahead.ts';
import { inTurn } from './in-turn.ts';
import { openDataset } from './open-dataset.ts';
import type { SourcePeers } from './peers.ts';

/** Bytes of a message: a chunk of the file. */
const CHUNK = 256 * 1024;
const DELIMITERS = [',', ';', '\t'] as const;

/** Encodes a dataset as a file: its description, then its bytes. @throws AppError validation, not_found, conflict, unavailable */
export type ExportDataset = (
  request: ExportDatasetRequest,
  ctx: HandlerContext,
) => AsyncGenerator<ExportDatasetResponse>;

export interface ExportQueues {
  /** Bounds the files that are open at a time. */
  readonly slots: FairQueue;
  /** Bounds the batches that are read at a time: many reads delay the other requests to a process. */
  readonly reads: FairQueue;
}

/** Both queues are fair between workspaces. */
export function makeExportDataset(peers: SourcePeers, { slots, reads }: ExportQueues): ExportDataset {
  return async function* exportDataset(request, ctx) {
    const dataset = datasetOf(request.dataset);
    const formatName = formatOf(dataset, request.format);
    const compression = compressionOf(request.compression);
    const csv = csvOf(request);
    const { workspaceId } = callerOf(ctx);
    using stack = new DisposableStack();
    stack.defer(await slots.acquire(workspaceId, ctx.signal));
    const table = await openDataset(dataset, request, { peers, call: ctx, signal: ctx.signal });
    const columns = chosenColumns(table.columns, request);
    const format = FORMATS[formatName];
    const isContinued = request.after > 0;
    const batches = inTurn(table.batches, { queue: reads, workspaceId, signal: ctx.signal });
    const file = format.encode(ahead(batches), { columns, csv, isContinued });
    const applied = format.isCompressible ? compression : 'none';
    yield {
      part: {
        $case: 'description',
        value: {
          contentType: format.contentType,
          extension: format.extension + { none: '', gzip: '.gz', zstd: '.zst' }[applied],
          rows: table.rows,
          isComplete: table.isComplete,
          unknownUrls: table.unknownUrls,
        },
      },
    };
    for await (const chunk of compress(file, applied))
      for (let at = 0; at < chunk.length; at += CHUNK)
        yield { part: { $case: 'chunk', value: viewOf(chunk.subarray(at, at + CHUNK)) } };
  };
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, byteLength);

function datasetOf(name: string): Dataset {
  const dataset = DATASETS.find((each) => each.name === name);
  if (dataset === undefined)
    throw new AppError(
      'validation',
      `there is no dataset ${name}; expected one of ${DATASETS.map((each) => each.name).join(', ')}`,
    );
  return dataset;
}

function formatOf({ name, formats }: Dataset, requested: string | undefined): ExportFormat {
  const format = requested === undefined ? formats[0] : formats.find((each) => each === requested);
  if (format === undefined)
    throw new AppError(
      'validation',
      `the dataset ${name} has no format ${requested}; expected one of ${formats.join(', ')}`,
    );
  return format;
}

function compressionOf(requested = 'none'): Compression {
  const compression = COMPRESSIONS.find((each) => each === requested);
  if (compression === undefined)
    throw new AppError(
      'validation',
      `there is no compression ${requested}; expected one of ${COMPRESSIONS.join(', ')}`,
    );
  return compression;
}

function csvOf({ csv }: ExportDatasetRequest): CsvOptions {
  const delimiter = DELIMITERS.find((each) => each === (csv?.delimiter ?? ','));
  if (delimiter === undefined) throw new AppError('validation', 'delimiter: expected a comma, a semicolon or a tab');
  return { guard: csv?.guard ?? true, bom: csv?.bom ?? false, delimiter };
}

/** Returns the requested columns in the requested order. @throws AppError validation that lists the columns */
function chosenColumns(columns: readonly Column[], { fields, omit }: ExportDatasetRequest): readonly Column[] {
  const byName = new Map(columns.map((column) => [column.name, column]));
  const unknown = [...fields, ...omit].find((name) => !byName.has(name));
  if (unknown !== undefined)
    throw new AppError('validation', `there is no column ${unknown}; the columns are ${[...byName.keys()].join(', ')}`);
  const chosen = fields.length === 0 ? columns : fields.flatMap((name) => byName.get(name) ?? []);
  const kept = chosen.filter(({ name }) => !omit.includes(name));
  if (kept.length === 0) throw new AppError('validation', 'no column is left: fields and omit exclude all of them');
  return kept;
}
