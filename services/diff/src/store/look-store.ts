import { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import type pg from 'pg';
import type { KnownPage, PageContent, PageReading } from '../record/page-reading.ts';

/** What a look read of a page, as it came. */
export interface LookContent {
  /** A PageBlocks message. */
  readonly blocks: Uint8Array;
  readonly fieldsJson: string;
}

/** What second looks read, where it is the last good reading of its page: one a page, and no longer than that. */
export class LookStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async find(
    projectId: string,
    { pageKey, pageId }: Pick<PageReading, 'pageKey' | 'pageId'>,
  ): Promise<PageContent | undefined> {
    const { rows } = await this.#pool.query<{ blocks: Buffer; fields: string }>({
      name: 'find-look',
      text: 'SELECT blocks, fields FROM look_contents WHERE project_id = $1 AND page_key = $2 AND page_id = $3',
      values: [projectId, pageKey, pageId],
    });
    const [row] = rows;
    return row && openLook({ blocks: row.blocks, fieldsJson: row.fields });
  }

  /** Keeps what was read of these pages by looks, and drops what is no longer their last good reading; in the transaction that says so. */
  async keep(
    client: pg.PoolClient,
    projectId: string,
    pages: readonly KnownPage[],
    contentOf: (pageId: string) => LookContent | undefined,
  ): Promise<void> {
    await client.query({
      name: 'drop-looks',
      text: `
        DELETE FROM look_contents l USING unnest($2::text[], $3::text[]) AS k(page_key, page_id)
        WHERE l.project_id = $1 AND l.page_key = k.page_key AND l.page_id <> k.page_id`,
      values: [projectId, pages.map(({ pageKey }) => pageKey), pages.map(({ good }) => good?.pageId ?? '')],
    });
    for (const { pageKey, good } of pages) {
      const content = good?.isLook === true ? contentOf(good.pageId) : undefined;
      if (good === undefined || content === undefined) continue;
      await client.query({
        name: 'keep-look',
        text: `
          INSERT INTO look_contents (project_id, page_key, page_id, blocks, fields) VALUES ($1, $2, $3, $4, $5)
          ON CONFLICT (project_id, page_key) DO UPDATE SET page_id = excluded.page_id, blocks = excluded.blocks, fields = excluded.fields`,
        values: [projectId, pageKey, good.pageId, content.blocks, content.fieldsJson],
      });
    }
  }
}

export const openLook = ({ blocks, fieldsJson }: LookContent): PageContent => ({
  blocks: PageBlocks.decode(blocks),
  fields: JSON.parse(fieldsJson),
});
