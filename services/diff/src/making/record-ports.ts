import type { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import type { CallContext, Logger, Peer } from '@tidemark/service';
import type pg from 'pg';
import type { PageDelta } from '../domain/page-delta.ts';
import type { PageContent, PageReading } from '../record/page-reading.ts';
import type { RecordPorts, Spool } from '../record/ports.ts';
import type { KnownStore } from '../store/known-store.ts';
import { type LookStore, openLook } from '../store/look-store.ts';
import { recordSink } from '../store/record-sink.ts';
import type { Claim } from '../store/record-store.ts';
import type { Watch } from './break-guard.ts';
import { makeOpenPage } from './open-page.ts';
import { PageProbe, seesAsPlainLook } from './probe-pages.ts';
import { makeReadAgain } from './read-again.ts';
import { readForRun, readWishOf } from './read-wish.ts';
import type { RunKnown } from './record-request.ts';
import { Rederiver } from './rederive.ts';
import { scopeRules } from './run-scope.ts';

export interface PortDeps {
  readonly store: KnownStore;
  readonly looks: LookStore;
  readonly archive: Peer;
  readonly crawl: Peer;
  readonly scrape: Peer;
  readonly compare: (before: PageBlocks, after: PageBlocks) => Promise<PageDelta>;
  readonly now: () => Date;
  readonly log: Logger;
}

/** A record that is being made. */
export interface Making extends RunKnown {
  readonly claim: Claim;
  readonly seed: string;
  readonly call: CallContext;
  readonly watch: Watch | undefined;
}

/** What one record is made from and written to: rows of ours, pages of the archive, looks through scrape, and a transaction. */
export async function recordPorts(
  deps: PortDeps,
  made: Making,
  client: pg.PoolClient,
  spool: Spool,
): Promise<RecordPorts> {
  const { archive, crawl, scrape, store, looks, compare, now, log } = deps;
  const { claim, run, config, seed, baseline, kept, call } = made;
  const known = () => store.known(run.projectId);
  const current = () => store.readings(claim);
  const scoped = { config, scopeHash: kept.scopeHash };
  const change = { seed, projectId: run.projectId, now: scoped, before: baseline };
  const [wish, readFor] = [readWishOf(config), readForRun(run.runId, config)];
  const rederiver = wish && new Rederiver({ archive, scrape, now: () => now().getTime(), log }, wish, readFor, call);
  const probe = wish && seesAsPlainLook(config) ? probeOf(wish) : undefined;
  const openPage = makeOpenPage(archive, call);
  const sink = recordSink(client, run);

  function probeOf(wish: NonNullable<ReturnType<typeof readWishOf>>): PageProbe {
    const isOfRun = (pageKey: string) => store.hasReading(claim, pageKey);
    const readAgain = makeReadAgain({ scrape, log }, wish, readFor, call);
    return new PageProbe({ readAgain, isOfRun, now: () => now().getTime() });
  }

  async function open(reading: PageReading): Promise<PageContent | undefined> {
    const anew = rederiver?.contentOf(reading);
    if (anew !== undefined) return anew;
    if (reading.isLook !== true) return openPage(reading);
    const seen = probe?.contentOf(reading.pageId);
    return seen === undefined ? looks.find(run.projectId, reading) : openLook(seen);
  }

  return {
    known,
    current,
    scope: await scopeRules(crawl, change, { known, current }, call),
    open,
    compare,
    rederive: async (reading, like) => rederiver?.rederive(reading, like),
    probe: async (pages) => (await probe?.look(pages)) ?? new Map(),
    learned: () => store.learned(run.projectId),
    spool,
    sink: {
      ...sink,
      known: async (pages) => {
        await sink.known(pages);
        await looks.keep(client, run.projectId, pages, (pageId) => probe?.contentOf(pageId));
      },
    },
  };
}
