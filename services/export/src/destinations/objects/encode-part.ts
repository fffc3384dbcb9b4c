import { compress } from '../../formats/compress.ts';
import { FORMATS } from '../../formats/encode-table.ts';
import type { SyncPlan } from '../driver.ts';
import type { PartBuffer } from './part-buffer.ts';
import { fileColumns, type PartRows } from './part-rows.ts';

/** Files for programs: without the guard against formulas, which changes texts. */
const CSV = { guard: false, bom: false, delimiter: ',' } as const;

/** Encodes the rows of a part as a file into a buffer. @returns its bytes */
export async function encodePart(
  { columns, files }: SyncPlan,
  { batches }: PartRows,
  buffer: PartBuffer,
): Promise<Buffer> {
  const format = FORMATS[files.format];
  const encoded = format.encode(batches, { columns: fileColumns(columns), csv: CSV, isContinued: false });
  for await (const chunk of format.isCompressible ? compress(encoded, files.compression) : encoded)
    buffer.append(chunk);
  return buffer.take();
}

/** Returns the compression of the files of a plan; Parquet compresses its own content. */
export const compressionOf = ({ format, compression }: SyncPlan['files']): SyncPlan['files']['compression'] =>
  FORMATS[format].isCompressible ? compression : 'none';

/** Returns the name of a part. It contains the sync: until the new manifest is written, the files of the old one stay as they are. */
export function partName({ syncId, files }: SyncPlan, number: number): string {
  const suffix = { none: '', gzip: '.gz', zstd: '.zst' }[compressionOf(files)];
  return `part-${String(number).padStart(5, '0')}-${encodeURIComponent(syncId)}.${FORMATS[files.format].extension}${suffix}`;
}
