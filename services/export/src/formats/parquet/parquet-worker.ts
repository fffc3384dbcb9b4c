import { workerData } from 'node:worker_threads';
import { constants, zstdCompressSync } from 'node:zlib';
import type { DatasetColumn as Column, DatasetRow as Row } from '@tidemark/datasets';
import { serveTasks } from '@tidemark/worker-threads';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { parquetSchema, parquetValues } from './parquet-columns.ts';
import type { ParquetRequest, ParquetResponse } from './parquet-messages.ts';

const columns: readonly Column[] = workerData.columns;
const bytes = new ByteWriter();
const file = new ParquetWriter({
  writer: bytes,
  schema: parquetSchema(columns),
  codec: 'ZSTD',
  compressors: { ZSTD: (input) => zstdCompressSync(input, { params: { [constants.ZSTD_c_compressionLevel]: 3 } }) },
  createdBy: 'tidemark',
});

/** Writes a group, or the end of the file, and returns the bytes since the last request. */
function write({ rows }: ParquetRequest): ParquetResponse {
  if (rows === undefined) file.finish();
  else writeGroup(rows);
  const chunk = bytes.getBytes().slice();
  // The offset continues: it is the position in the file.
  bytes.index = 0;
  return { chunk };
}

serveTasks(
  (request: ParquetRequest) => () => write(request),
  ({ chunk }) => [chunk.buffer],
);

function writeGroup(rows: readonly Row[]): void {
  const columnData = columns.map((column) => ({
    name: column.name,
    data: parquetValues(rows, column),
    // Page positions of all groups would be held until the end of the file.
    offsetIndex: false,
  }));
  file.write({ columnData, rowGroupSize: rows.length });
}
