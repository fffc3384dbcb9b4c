import { type ColumnType, Schema } from '@tidemark/sql';

/** The tables of this library, which a service has in its own schema. */
interface ServiceTables {
  readonly outbox: {
    readonly id: string;
    readonly subject: string;
    readonly payload: Buffer;
    readonly trace: ColumnType<Readonly<Record<string, string>>, string, string>;
    /** Consumers that have not confirmed the event. */
    readonly awaiting: string[];
    readonly sent_at: Date;
  };
  readonly workspace_states: {
    readonly workspace_id: string;
    readonly version: string;
    readonly state: string;
    readonly suspended_at: Date | null;
    readonly sweeps: number;
    readonly due: Date | null;
  };
}

export const schema: Schema<ServiceTables> = new Schema<ServiceTables>();
export const { tables } = schema;
