import { onOwnBehalf } from '@tidemark/contracts';
import { ArchiveServiceService as Rpc } from '@tidemark/contracts/archive/v1/archive';
import type { PageRow } from '@tidemark/contracts/page/v1/page';
import type { Peer } from '@tidemark/service';
import { urlKey } from '@tidemark/web-url';
import type { Run } from '../domain/run/run.ts';

const DEADLINE_MS = 3_000;

/**
 * Finds earlier captures of many URLs in one call to the archive, with any capture options: the worker decides whether one can be reused.
 */
export function makeFindEarlier(archive: Peer) {
  return async ({ workspaceId, options }: Run, urls: readonly string[]): Promise<ReadonlyMap<string, PageRow>> => {
    const byKey = new Map(urls.map((url) => [urlKey(url), url]));
    const { rows } = await archive.call(
      Rpc.findPages,
      {
        urlKeys: [...byKey.keys()].map((key) => Buffer.from(key, 'hex')),
        formats: options.htmlOfPages ? [...new Set([...options.formats, 'rawHtml'])] : [...options.formats],
      },
      { caller: onOwnBehalf('crawl', workspaceId), requestId: '' },
      { deadlineMs: DEADLINE_MS },
    );
    return new Map(
      rows.flatMap((row) => {
        const url = byKey.get(Buffer.from(row.urlKey).toString('hex'));
        return url === undefined ? [] : [[url, row] as const];
      }),
    );
  };
}
