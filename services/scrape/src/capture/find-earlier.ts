import type { BlobStore } from '@tidemark/blobs';
import { onOwnBehalf } from '@tidemark/contracts';
import { ArchiveServiceService as Rpc } from '@tidemark/contracts/archive/v1/archive';
import type { PageRow } from '@tidemark/contracts/page/v1/page';
import type { Logger, Peer } from '@tidemark/service';
import { urlKey } from '@tidemark/web-url';
import { captureKey, type PageTask } from '../domain/page-task.ts';
import type { Earlier } from './capture-deps.ts';

const DEADLINE_MS = 3_000;

/**
 * Finds the newest archived version of the URL that may replace a fetch. If the archive is unavailable, the page is fetched.
 * Never rejects.
 */
export function makeFindEarlier({ archive, log }: { archive: Peer; log: Logger }) {
  return async ({ url, workspaceId, options }: PageTask): Promise<Earlier | undefined> => {
    try {
      const caller = onOwnBehalf('scrape', workspaceId);
      const { row } = await archive.call(
        Rpc.findPage,
        {
          urlKey: Buffer.from(urlKey(url), 'hex'),
          captureKey: captureKey(options),
          formats: [...options.formats],
        },
        { caller, requestId: '' },
        { deadlineMs: DEADLINE_MS },
      );
      return row?.content === undefined ? undefined : { row };
    } catch (error) {
      log.warn({ err: error }, 'archive query for an earlier page failed, page is fetched');
      return undefined;
    }
  };
}

/** Reads the bodies a row names. */
export function makeReadBodies({ blobs, log }: { blobs: BlobStore; log: Logger }) {
  return async ({ id, content }: PageRow): Promise<Uint8Array | undefined> => {
    if (content === undefined) return undefined;
    try {
      return await blobs.get(content.sha256);
    } catch (error) {
      log.warn({ err: error, page: id }, 'bodies of an earlier page could not be read, page is fetched');
      return undefined;
    }
  };
}
