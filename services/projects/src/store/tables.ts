import { Schema } from '@tidemark/sql';
import type { DB } from '../generated/tables.ts';

/** The tables of projects. */
export const schema: Schema<DB> = new Schema<DB>();
export const { tables } = schema;
