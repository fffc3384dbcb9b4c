import type { Caller } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import type { Logger, Peer } from '@tidemark/service';
import type { FeedSource } from '../feed-source.ts';
import type { FeedStore } from '../store/feed-store.ts';
import type { KnownStore } from '../store/known-store.ts';
import type { RunStore } from '../store/run-store.ts';
import { mapDeclaredEntries } from './declared-entries.ts';
import { makeDryRun } from './dry-run.ts';
import { makePreviewSources } from './preview-sources.ts';
import { makeSources } from './run-sources.ts';

interface Around {
  readonly runs: RunStore;
  readonly known: KnownStore;
  readonly feeds: FeedSource;
  readonly feedStore: FeedStore;
  readonly map: Peer;
  readonly log: Logger;
}

/** Questions of one kind judged at once in one process: each goes through up to some hundred thousand addresses. */
const AT_ONCE = 4;
/** Of those, one workspace's: nobody's slow feeds keep the others out. */
const OWN_AT_ONCE = 2;

/** What may be asked about where a project's pages come from. */
export function openSources({ runs, known, feeds, feedStore, map, log }: Around) {
  const inTurn = <Order, T>(ask: (caller: Caller, order: Order) => Promise<T>) => {
    const underWay: string[] = [];
    return async (caller: Caller, order: Order): Promise<T> => {
      const own = underWay.filter((workspaceId) => workspaceId === caller.workspaceId).length;
      if (underWay.length >= AT_ONCE || own >= OWN_AT_ONCE)
        throw new AppError('unavailable', 'too many sources are being judged; try again');
      underWay.push(caller.workspaceId);
      try {
        return await ask(caller, order);
      } finally {
        underWay.splice(underWay.indexOf(caller.workspaceId), 1);
      }
    };
  };
  return {
    dryRun: inTurn(makeDryRun({ runs, known })),
    sources: inTurn(makeSources({ runs, known, feeds: feedStore })),
    previewSources: inTurn(makePreviewSources({ runs, known, feeds, declared: mapDeclaredEntries(map), log })),
  };
}
