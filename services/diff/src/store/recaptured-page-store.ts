import { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { listOf, type Params, unnest } from '@tidemark/sql';
import type pg from 'pg';
import type { KnownPage, PageContent, PageReading } from '../domain/page-reading.ts';
import { schema, tables } from './tables.ts';

/** Encoded content of a recaptured page. */
export interface RecapturedContent {
  /** An encoded PageBlocks message. */
  readonly blocks: Uint8Array;
  readonly fieldsJson: string;
}

interface PageValues {
  readonly projectId: string;
  readonly pageKey: string;
  readonly pageId: string;
}

const FIND = schema.prepare('find-recaptured-page', ({ projectId, pageKey, pageId }: Params<PageValues>) =>
  tables
    .selectFrom('recaptured_pages')
    .select(['blocks', 'fields'])
    .where('project_id', '=', projectId)
    .where('page_key', '=', pageKey)
    .where('page_id', '=', pageId),
);

interface ReplacedValues {
  readonly projectId: string;
  readonly pageKeys: readonly string[];
  readonly pageIds: readonly string[];
}

const DELETE_REPLACED = schema.prepare(
  'delete-recaptured-pages',
  ({ projectId, pageKeys, pageIds }: Params<ReplacedValues>) =>
    tables
      .deleteFrom('recaptured_pages as l')
      .using(unnest('k', { page_key: listOf(pageKeys, 'text'), page_id: listOf(pageIds, 'text') }))
      .where('l.project_id', '=', projectId)
      .whereRef('l.page_key', '=', 'k.page_key')
      .whereRef('l.page_id', '<>', 'k.page_id'),
);

interface ContentValues extends PageValues {
  readonly blocks: Buffer;
  readonly fields: string;
}

const WRITE = schema.prepare('upsert-recaptured-page', (values: Params<ContentValues>) =>
  tables
    .insertInto('recaptured_pages')
    .values({
      project_id: values.projectId,
      page_key: values.pageKey,
      page_id: values.pageId,
      blocks: values.blocks,
      fields: values.fields,
    })
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'page_key']).doUpdateSet((eb) => ({
        page_id: eb.ref('excluded.page_id'),
        blocks: eb.ref('excluded.blocks'),
        fields: eb.ref('excluded.fields'),
      })),
    ),
);

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
    const row = await FIND.row(this.#pool, { projectId, pageKey, pageId });
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
    await DELETE_REPLACED.change(client, {
      projectId,
      pageKeys: pages.map(({ pageKey }) => pageKey),
      pageIds: pages.map(({ lastGood }) => lastGood?.pageId ?? ''),
    });
    for (const { pageKey, lastGood } of pages) {
      const content = lastGood?.isRecaptured === true ? contentOf(lastGood.pageId) : undefined;
      if (lastGood === undefined || content === undefined) continue;
      await WRITE.change(client, {
        projectId,
        pageKey,
        pageId: lastGood.pageId,
        blocks: asBuffer(content.blocks),
        fields: content.fieldsJson,
      });
    }
  }
}

/** Returns a view of the same bytes. */
const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

export const decodeContent = ({ blocks, fieldsJson }: RecapturedContent): PageContent => ({
  blocks: PageBlocks.decode(blocks),
  fields: JSON.parse(fieldsJson),
});
