import type { DatasetRow as Row } from '@tidemark/datasets';

/** The rows of one group; without rows: the end of the file. */
export interface ParquetRequest {
  readonly rows: readonly Row[] | undefined;
}

export interface ParquetResponse {
  readonly chunk: Uint8Array<ArrayBuffer>;
}
