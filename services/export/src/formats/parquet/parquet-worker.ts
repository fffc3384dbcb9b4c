import { parentPort, workerData } from 'node:worker_threads';
import { constants, zstdCompressSync } from 'node:zlib';
import type { DatasetColumn as Column, DatasetRow as Row } from '@tidemark/datasets';
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

const port = parentPort;
if (port === null) throw new Error('this file runs in a worker thread');
port.on('message', (request: ParquetRequest) => {
  if (request.rows === undefined) file.finish();
  else writeGroup(request.rows);
  const chunk = bytes.getBytes().slice();
  // The offset continues: it is the position in the file.
  bytes.index = 0;
  const response: ParquetResponse = { chunk };
  port.postMessage(response, [chunk.buffer]);
});

function writeGroup(rows: readonly Row[]): void {
  const columnData = columns.map((column) => ({
    name: column.name,
    data: parquetValues(rows, column),
    // Page positions of all groups would be held until the end of the file.
    offsetIndex: false,
  }));
  file.write({ columnData, rowGroupSize: rows.length });
}
