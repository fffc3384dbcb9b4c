import type pg from 'pg';
import { SAMPLE_PAGES } from '../../domain/run/repeated-blocks.ts';

/** Reads the block keys of a run's pages, and stores the repeated blocks that it starts with. */
export class RepeatedBlockStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Returns the block keys of the first pages of a run that ended. */
  async pagesOf(runNo: bigint): Promise<Buffer[]> {
    const { rows } = await this.#pool.query<{ block_keys: Buffer | null }>({
      name: 'block-keys-of-pages',
      text: 'SELECT block_keys FROM frontier WHERE run_no = $1 AND number > 0 AND number <= $2 ORDER BY number',
      values: [runNo, SAMPLE_PAGES],
    });
    return rows.flatMap(({ block_keys }) => block_keys ?? []);
  }

  /** Returns the repeated blocks that a run started with; empty: none. */
  async startOf(runNo: bigint): Promise<Buffer> {
    const { rows } = await this.#pool.query<{ repeated_blocks: Buffer | null }>({
      name: 'repeated-blocks-of-run',
      text: 'SELECT repeated_blocks FROM run_details WHERE run_no = $1',
      values: [runNo],
    });
    return rows[0]?.repeated_blocks ?? Buffer.alloc(0);
  }

  /** Stores the repeated blocks that a run starts with. Safe to repeat. */
  async writeStart(runNo: bigint, blocks: Buffer): Promise<void> {
    await this.#pool.query({
      name: 'write-repeated-blocks',
      text: `
        INSERT INTO run_details (run_no, repeated_blocks) SELECT no, $2 FROM runs WHERE no = $1 AND NOT discarding
        ON CONFLICT (run_no) DO UPDATE SET repeated_blocks = excluded.repeated_blocks`,
      values: [runNo, blocks],
    });
  }
}
