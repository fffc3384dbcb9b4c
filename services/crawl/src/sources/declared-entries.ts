import { onOwnBehalf } from '@tidemark/contracts';
import { MapServiceService as Rpc } from '@tidemark/contracts/map/v1/map';
import { AppError, codeOf } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import { MAX_URLS } from './known-walk.ts';

/** Each response reads the whole stored tree, so that few large pages cost less than many small ones. */
const BATCH_ENTRIES = 10_000;
const DEADLINE_MS = 10_000;
/** Time limit for all pages, ms; the result is then cut. */
const MAX_MS = 15_000;

/**
 * Visits the URLs of a site's stored sitemap tree, up to the limit of one request and for `withinMs`, by default 15 s. @returns whether there
 * are more
 */
export type DeclaredEntries = (
  workspaceId: string,
  seed: string,
  projectId: string,
  visit: (url: string, file: string) => void,
  limits?: { readonly withinMs: number },
) => Promise<boolean>;

/** Reads the project's tree from the map service, or else the tree of its site. @throws AppError unavailable */
export function mapDeclaredEntries(map: Peer): DeclaredEntries {
  return async (workspaceId, seed, projectId, visit, { withinMs } = { withinMs: MAX_MS }) => {
    const call: CallContext = { requestId: '', caller: onOwnBehalf('crawl', workspaceId) };
    const until = performance.now() + withinMs;
    try {
      const own = await visitTree(map, call, { url: seed, projectId, until }, visit);
      const outcome =
        own === 'none' ? await visitTree(map, call, { url: seed, projectId: undefined, until }, visit) : own;
      return outcome === 'cut';
    } catch (error) {
      throw new AppError('unavailable', 'the sitemap entries can’t be read at the moment; try again', {
        cause: error,
      });
    }
  };
}

interface TreeQuery {
  readonly url: string;
  /** Undefined: the tree of the site. */
  readonly projectId: string | undefined;
  readonly until: number;
}

/** @returns whether the tree exists, and whether it was visited completely */
async function visitTree(
  map: Peer,
  call: CallContext,
  { url, projectId, until }: TreeQuery,
  visit: (url: string, file: string) => void,
): Promise<'none' | 'whole' | 'cut'> {
  let snapshotId: string | undefined;
  for (let after = 0; after < MAX_URLS && performance.now() < until; ) {
    const request = { url, projectId, snapshotId, file: '', prefix: '', q: '', after, limit: BATCH_ENTRIES };
    const response = await map
      .call(Rpc.listEntries, request, call, { deadlineMs: DEADLINE_MS })
      .catch((error: unknown) => {
        if (codeOf(error) === 'not_found' && after === 0) return undefined;
        throw error;
      });
    if (response === undefined) return 'none';
    for (const entry of response.entries) visit(entry.url, entry.file);
    if (response.next === undefined || response.next <= after) return 'whole';
    after = response.next;
    snapshotId = response.snapshotId;
  }
  return 'cut';
}
