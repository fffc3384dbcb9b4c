import { CrawlServiceService as Crawl } from '@tidemark/contracts/crawl/v1/crawl';
import type { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { AppError } from '@tidemark/errors';
import { type CallContext, inTransaction, type Logger, type Peer } from '@tidemark/service';
import type pg from 'pg';
import type { PageDelta } from '../domain/page-delta.ts';
import { type PageContent, type PageReading, sightOf } from '../record/page-reading.ts';
import type { KnownStore } from '../store/known-store.ts';
import { openLook } from '../store/look-store.ts';
import { writeLearned } from '../store/record-sink.ts';
import { lockLearning, type SecondFetchClaim, type SecondFetchStore } from '../store/second-fetch-store.ts';
import { isLatelyRead, learnFromSecondFetches, type SecondFetch } from '../volatile/second-fetch.ts';
import { sketchAnchors } from '../volatile/templates.ts';
import { makeOpenPage } from './open-page.ts';
import { makeReadAgain } from './read-again.ts';
import { readForRun, readWishOf } from './read-wish.ts';

/** Everything the second fetches of one project may take. */
const ALL_MS = 180_000;
const MOST_ATTEMPTS = 5;
const RETRY_SECONDS = 60;
const RENEW_EVERY_MS = 8_000;

export interface SecondFetcherDeps {
  readonly pool: pg.Pool;
  readonly fetches: SecondFetchStore;
  readonly store: KnownStore;
  readonly archive: Peer;
  readonly crawl: Peer;
  readonly scrape: Peer;
  readonly compare: (before: PageBlocks, after: PageBlocks) => Promise<PageDelta>;
  readonly now: () => Date;
  readonly log: Logger;
}

/**
 * Fetches a few pages of a project's first run once more, and learns that what differs changes by itself. Free; nothing of it is told, and
 * no record waits for it.
 */
export class SecondFetcher {
  readonly #deps: SecondFetcherDeps;

  constructor(deps: SecondFetcherDeps) {
    this.#deps = deps;
  }

  /** Makes the second fetches that are due next. @returns whether there were any */
  async fetchNext(): Promise<boolean> {
    const { fetches } = this.#deps;
    const claim = await fetches.claim();
    if (claim === undefined) return false;
    const lease = setInterval(() => fetches.renew(claim).catch(() => undefined), RENEW_EVERY_MS);
    try {
      if (await this.#isPointless(claim)) await fetches.end(undefined, claim);
      else await this.#learn(claim, await this.#fetchTwice(claim));
    } catch (error) {
      await this.#leave(claim, error);
    } finally {
      clearInterval(lease);
    }
    return true;
  }

  /** Whether it comes too late, or ended again and again with the process that tried. */
  async #isPointless(claim: SecondFetchClaim): Promise<boolean> {
    return claim.isLate || claim.attempts > MOST_ATTEMPTS || this.#deps.fetches.isOvertaken(undefined, claim);
  }

  async #leave(claim: SecondFetchClaim, error: unknown): Promise<void> {
    const { fetches, log } = this.#deps;
    const isGone = error instanceof AppError && error.code === 'not_found';
    if (!isGone) log.warn({ err: error, run: claim.runId, attempts: claim.attempts }, 'pages were not fetched twice');
    if (isGone || claim.attempts >= MOST_ATTEMPTS) await fetches.end(undefined, claim);
    else await fetches.putOff(claim, RETRY_SECONDS);
  }

  /** @throws AppError not_found where the run is gone */
  async #fetchTwice({ runId, workspaceId, pages }: SecondFetchClaim): Promise<SecondFetch[]> {
    const { archive, crawl, scrape, now, log } = this.#deps;
    const caller = { workspaceId, keyId: '', scope: 'write', projects: [] } as const;
    const call: CallContext = { requestId: runId, caller };
    const { configJson } = await crawl.call(Crawl.getRun, { id: runId, withLog: false, withConfig: true }, call);
    const config = JSON.parse(configJson === '' ? '{}' : configJson);
    const wish = readWishOf(config);
    if (wish === undefined) return [];
    const readAgain = makeReadAgain({ scrape, log }, wish, readForRun(runId, config), call);
    const open = makeOpenPage(archive, call);
    const found: SecondFetch[] = [];
    const until = now().getTime() + ALL_MS;
    for (const first of pages) {
      if (now().getTime() > until) break;
      if (!isLatelyRead(first, now().getTime())) continue;
      const look = await readAgain(first.url);
      if (look?.content === undefined || !areComparable(first, look.reading)) continue;
      const differing = await this.#compare(first.pageKey, await open(first), openLook(look.content));
      if (differing !== undefined) found.push(differing);
    }
    return found;
  }

  async #compare(
    pageKey: string,
    first: PageContent | undefined,
    { blocks }: PageContent,
  ): Promise<SecondFetch | undefined> {
    if (first === undefined) return undefined;
    const delta = await this.#deps.compare(first.blocks, blocks);
    // What could not be compared in time says nothing of single blocks.
    return delta.isDegraded ? undefined : { pageKey, anchors: sketchAnchors(blocks), delta };
  }

  async #learn(claim: SecondFetchClaim, found: readonly SecondFetch[]): Promise<void> {
    const { pool, fetches, store } = this.#deps;
    const { projectId } = claim;
    await inTransaction(pool, async (client) => {
      await lockLearning(client, projectId, 'fetches');
      if (!(await fetches.isOvertaken(client, claim)))
        await writeLearned(client, projectId, learnFromSecondFetches(await store.learned(projectId), found));
      if (!(await fetches.end(client, claim))) throw new AppError('conflict', 'the second fetches are another’s');
    });
  }
}

/** Both readings are good ones of the same page by the same rules, and differ. */
const areComparable = (first: PageReading, again: PageReading): boolean =>
  sightOf(again) === 'read' &&
  first.pageKey === again.pageKey &&
  first.contentVariantKey === again.contentVariantKey &&
  first.blocksVersion === again.blocksVersion &&
  first.comparedHash !== again.comparedHash;
