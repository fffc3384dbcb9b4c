import { Schema } from '@tidemark/sql';

/** The tables of this library, which a service has in its own schema. The columns of `jobs` are those of its leases. */
interface JobTables {
  readonly jobs: { readonly id: string };
  readonly idempotency_keys: {
    readonly job_id: string;
    readonly first_status: 'running' | 'done' | null;
    readonly created_at: Date;
  };
}

export const schema: Schema<JobTables> = new Schema<JobTables>();
export const { tables } = schema;
