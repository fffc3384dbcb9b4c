import type { DatasetColumn as Column, ExportFormat, DatasetRow as Row } from '@tidemark/datasets';
import { type CsvOptions, csvHeader, encodeCsv } from './csv.ts';
import { encodeJsonLines } from './jsonl.ts';
import { encodeParquet } from './parquet/parquet-file.ts';
import { encodeWacz } from './warc/wacz-file.ts';
import { encodeWarc } from './warc/warc-file.ts';
import { encodeXlsx } from './xlsx/xlsx-file.ts';
import { encodeMarkdownZip } from './zip/markdown-zip.ts';

export interface TableOptions {
  readonly columns: readonly Column[];
  readonly csv: CsvOptions;
  /** A CSV file that continues an earlier one has no header. */
  readonly isContinued: boolean;
}

export interface Format {
  readonly contentType: string;
  readonly extension: string;
  /** False: the format compresses its own content. */
  readonly isCompressible: boolean;
  encode(batches: AsyncIterable<readonly Row[]>, options: TableOptions): AsyncIterable<Uint8Array>;
}

/** The file formats. Each encodes one batch at a time, so that a slow reader stops its source. */
export const FORMATS: Readonly<Record<ExportFormat, Format>> = {
  jsonl: {
    contentType: 'application/x-ndjson',
    extension: 'jsonl',
    isCompressible: true,
    async *encode(batches, { columns }) {
      for await (const rows of batches) yield* encodeJsonLines(rows, columns);
    },
  },
  csv: {
    contentType: 'text/csv; charset=utf-8',
    extension: 'csv',
    isCompressible: true,
    async *encode(batches, { columns, csv, isContinued }) {
      if (!isContinued) yield csvHeader(columns, csv);
      for await (const rows of batches) if (rows.length > 0) yield encodeCsv(rows, columns, csv);
    },
  },
  parquet: {
    contentType: 'application/vnd.apache.parquet',
    extension: 'parquet',
    isCompressible: false,
    encode: (batches, { columns }) => encodeParquet(batches, columns),
  },
  xlsx: {
    contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    extension: 'xlsx',
    isCompressible: false,
    encode: (batches, { columns }) => encodeXlsx(batches, columns),
  },
  zip: {
    contentType: 'application/zip',
    extension: 'zip',
    isCompressible: false,
    encode: (batches) => encodeMarkdownZip(batches),
  },
  warc: {
    contentType: 'application/warc',
    extension: 'warc.gz',
    isCompressible: false,
    encode: (batches) => encodeWarc(batches),
  },
  wacz: {
    contentType: 'application/wacz',
    extension: 'wacz',
    isCompressible: false,
    encode: (batches) => encodeWacz(batches),
  },
  txt: {
    contentType: 'text/plain; charset=utf-8',
    extension: 'txt',
    isCompressible: true,
    async *encode(batches) {
      for await (const rows of batches) yield Buffer.from(rows.map(({ text }) => String(text)).join(''));
    },
  },
};
