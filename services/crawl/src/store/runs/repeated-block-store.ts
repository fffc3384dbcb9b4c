import { nullable, type Params, sql } from '@tidemark/sql';
import type pg from 'pg';
import { SAMPLE_PAGES } from '../../domain/run/repeated-blocks.ts';
import { schema } from '../tables.ts';

const PAGES = schema.prepareText(
  'block-keys-of-pages',
  { block_keys: nullable('bytea') },
  ({ runNo, limit }: Params<{ readonly runNo: bigint | string; readonly limit: number }>) =>
    sql`SELECT block_keys FROM frontier WHERE run_no = ${runNo} AND number > 0 AND number <= ${limit} ORDER BY number`,
);

const START = schema.prepareText(
  'repeated-blocks-of-run',
  { repeated_blocks: nullable('bytea') },
  ({ runNo }: Params<{ readonly runNo: bigint | string }>) =>
    sql`SELECT repeated_blocks FROM run_details WHERE run_no = ${runNo}`,
);

const WRITE_START = schema.prepareText(
  'write-repeated-blocks',
  {},
  ({ runNo, blocks }: Params<{ readonly runNo: bigint | string; readonly blocks: Buffer }>) => sql`
    INSERT INTO run_details (run_no, repeated_blocks) SELECT no, ${blocks} FROM runs WHERE no = ${runNo} AND NOT discarding
    ON CONFLICT (run_no) DO UPDATE SET repeated_blocks = excluded.repeated_blocks`,
);

/** Reads the block keys of a run's pages, and stores the repeated blocks that it starts with. */
export class RepeatedBlockStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Returns the block keys of the first pages of a run that ended. */
  async pagesOf(runNo: bigint): Promise<Buffer[]> {
    const rows = await PAGES.rows(this.#pool, { runNo, limit: SAMPLE_PAGES });
    return rows.flatMap(({ block_keys }) => block_keys ?? []);
  }

  /** Returns the repeated blocks that a run started with; empty: none. */
  async startOf(runNo: bigint): Promise<Buffer> {
    const rows = await START.rows(this.#pool, { runNo });
    return rows[0]?.repeated_blocks ?? Buffer.alloc(0);
  }

  /** Stores the repeated blocks that a run starts with. Safe to repeat. */
  async writeStart(runNo: bigint, blocks: Buffer): Promise<void> {
    await WRITE_START.change(this.#pool, { runNo, blocks });
  }
}
