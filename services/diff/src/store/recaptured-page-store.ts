import { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import type pg from 'pg';
import type { KnownPage, PageContent, PageReading } from '../domain/page-reading.ts';

/** Encoded content of a recaptured page. */
export interface RecapturedContent {
  /** An encoded PageBlocks message. */
  readonly blocks: Uint8Array;
  readonly fieldsJson: string;
}

/**
 * Content of last good readings that were recaptured for verification: at most one per page, deleted when another
 * reading replaces it.
 */
export class RecapturedPageStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async find(
    projectId: string,
    { pageKey, pageId }: Pick<PageReading, 'pageKey' | 'pageId'>,
  ): Promise<PageContent | undefined> {
    const { rows } = await this.#pool.query<{ blocks: Buffer; fields: string }>({
      name: 'find-recaptured-page',
      text: 'SELECT blocks, fields FROM recaptured_pages WHERE project_id = $1 AND page_key = $2 AND page_id = $3',
      values: [projectId, pageKey, pageId],
    });
    const [row] = rows;
    return row && decodeContent({ blocks: row.blocks, fieldsJson: row.fields });
  }

  /**
   * Stores the content of recaptured last good readings and deletes that of replaced ones. Runs in the transaction that
   * updates the known pages.
   */
  async replace(
    client: pg.PoolClient,
    projectId: string,
    pages: readonly KnownPage[],
    contentOf: (pageId: string) => RecapturedContent | undefined,
  ): Promise<void> {
    await client.query({
      name: 'delete-recaptured-pages',
      text: `
        DELETE FROM recaptured_pages l USING unnest($2::text[], $3::text[]) AS k(page_key, page_id)
        WHERE l.project_id = $1 AND l.page_key = k.page_key AND l.page_id <> k.page_id`,
      values: [projectId, pages.map(({ pageKey }) => pageKey), pages.map(({ lastGood }) => lastGood?.pageId ?? '')],
    });
    for (const { pageKey, lastGood } of pages) {
      const content = lastGood?.isRecaptured === true ? contentOf(lastGood.pageId) : undefined;
      if (lastGood === undefined || content === undefined) continue;
      await client.query({
        name: 'upsert-recaptured-page',
        text: `
          INSERT INTO recaptured_pages (project_id, page_key, page_id, blocks, fields) VALUES ($1, $2, $3, $4, $5)
          ON CONFLICT (project_id, page_key) DO UPDATE SET page_id = excluded.page_id, blocks = excluded.blocks, fields = excluded.fields`,
        values: [projectId, pageKey, lastGood.pageId, content.blocks, content.fieldsJson],
      });
    }
  }
}

export const decodeContent = ({ blocks, fieldsJson }: RecapturedContent): PageContent => ({
  blocks: PageBlocks.decode(blocks),
  fields: JSON.parse(fieldsJson),
});
