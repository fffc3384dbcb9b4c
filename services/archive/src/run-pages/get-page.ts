import type { BlobStore } from '@tidemark/blobs';
import type { GetPageResponse, PageVersion } from '@tidemark/contracts/archive/v1/archive';
import { PageBodies } from '@tidemark/contracts/page/v1/page';
import { AppError } from '@tidemark/errors';
import type { ListedRun } from '../domain/listed-run.ts';
import { type BodyName, readBodies, readFirstBodies } from '../pages/read-bodies.ts';
import { type PageQueries, toArchived } from '../store/page-queries.ts';

export interface PageRequest {
  readonly pageId: string;
  readonly bodies: readonly BodyName[];
  /** Maximum number of other versions. */
  readonly versions: number;
  /** Run before which the versions were captured; only good captures of full runs that are done are returned. */
  readonly before?: string | undefined;
  /** Read the extracted fields of the newest versions too. */
  readonly withFields?: boolean | undefined;
}

/** Versions whose extracted fields are read at most: each is a document of the blob store. */
const MAX_FIELD_VERSIONS = 30;

/** Returns one page of a run with its other versions. @throws AppError not_found */
export type GetPage = (run: ListedRun, pageRequest: PageRequest) => Promise<GetPageResponse>;

export function makeGetPage({ queries, blobs }: { queries: PageQueries; blobs: BlobStore }): GetPage {
  return async (run, { pageId, bodies, versions, before, withFields = false }) => {
    const found = await queries.find(run, pageId);
    if (found === undefined) throw new AppError('not_found', 'page not found');
    const [body, readings] = await Promise.all([
      readBodies(blobs, found.row, bodies),
      // The page itself, and the version the last returned one is compared with.
      versions === 0 ? [] : queries.readings(run, found.row.urlKey, { limit: versions + 2, before }),
    ]);
    const others = compared(readings).filter((reading) => reading.pageId !== pageId);
    const listed = others.slice(0, versions);
    return {
      page: toArchived(found, body),
      versions: withFields ? await readFields({ queries, blobs }, run, listed) : listed,
      hasOlder: others.length > versions,
    };
  };
}

/** Adds the extracted fields to the newest versions. A version without fields has none added. */
async function readFields(
  { queries, blobs }: { readonly queries: PageQueries; readonly blobs: BlobStore },
  { workspaceId }: ListedRun,
  versions: readonly PageVersion[],
): Promise<PageVersion[]> {
  const newest = versions.slice(0, MAX_FIELD_VERSIONS);
  const rows = await queries.rowsOf(
    workspaceId,
    newest.map(({ pageId }) => pageId),
  );
  const pages = newest.flatMap(({ pageId }) => {
    const row = rows.get(pageId);
    return row === undefined ? [] : [{ pageId, row }];
  });
  const read = await readFirstBodies(blobs, pages, ['fields']);
  const fields = new Map(read.map(({ page, bodies }) => [page.pageId, PageBodies.decode(bodies).fieldsJson]));
  return versions.map((version) => ({ ...version, fieldsJson: fields.get(version.pageId) }));
}

/** Adds to each version whether its content equals that of the previous one. */
function compared(readings: readonly (PageVersion & { content: string })[]): PageVersion[] {
  return readings.map(({ content, ...reading }, i) => {
    const before = readings[i + 1]?.content;
    return { ...reading, isSame: content !== '0' && content === before };
  });
}
