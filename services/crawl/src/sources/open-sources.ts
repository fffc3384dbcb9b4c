import type { Caller } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import type { Logger, Peer } from '@tidemark/service';
import type { FeedSource } from '../peers/feed-source.ts';
import type { KnownStore } from '../store/ended-runs/known-store.ts';
import type { FeedStore } from '../store/runs/feed-store.ts';
import type { RunStore } from '../store/runs/run-store.ts';
import { mapDeclaredEntries } from './declared-entries.ts';
import { makeDryRun } from './dry-run.ts';
import { makePreviewSources } from './preview-sources.ts';
import { makeSources } from './run-sources.ts';

interface SourcesDeps {
  readonly runs: RunStore;
  readonly known: KnownStore;
  readonly feeds: FeedSource;
  readonly feedStore: FeedStore;
  readonly map: Peer;
  readonly log: Logger;
}

/** Concurrent requests per method and instance: each evaluates up to 200,000 URLs. */
const MAX_CONCURRENT = 4;
/** Concurrent requests per workspace, so that slow feeds of one do not block the others. */
const MAX_PER_WORKSPACE = 2;

/** Opens the queries about the sources of a project's pages. */
export function openSources({ runs, known, feeds, feedStore, map, log }: SourcesDeps) {
  const limited = <Order, T>(query: (caller: Caller, order: Order) => Promise<T>) => {
    const underWay: string[] = [];
    return async (caller: Caller, order: Order): Promise<T> => {
      const own = underWay.filter((workspaceId) => workspaceId === caller.workspaceId).length;
      if (underWay.length >= MAX_CONCURRENT || own >= MAX_PER_WORKSPACE)
        throw new AppError('unavailable', 'too many sources are being evaluated; try again');
      underWay.push(caller.workspaceId);
      try {
        return await query(caller, order);
      } finally {
        underWay.splice(underWay.indexOf(caller.workspaceId), 1);
      }
    };
  };
  const declared = mapDeclaredEntries(map);
  return {
    dryRun: limited(makeDryRun({ runs, known, declared })),
    sources: limited(makeSources({ runs, known, feeds: feedStore, declared })),
    previewSources: limited(makePreviewSources({ runs, known, feeds, declared, log })),
  };
}
