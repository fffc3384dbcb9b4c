import { Schema } from '@tidemark/sql';

/** The table of this library, which a service has in its own schema. */
interface BlobTables {
  readonly blob_candidates: { readonly sha256: string; readonly in_trash: boolean; readonly due: Date };
}

export const schema: Schema<BlobTables> = new Schema<BlobTables>();
export const { tables } = schema;
