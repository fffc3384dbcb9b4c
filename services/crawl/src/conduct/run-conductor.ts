import { isDatabaseUnavailable, type Logger } from '@tidemark/service';
import { nextMove } from '../domain/next-move.ts';
import { type ClaimedPage, type FeedsState, isSiteDown, type Run, type SitemapState } from '../domain/run.ts';
import { type ScopeRules, scopeRules } from '../domain/scope-rules.ts';
import type { RunNow } from '../store/frontier-store.ts';
import { toStop } from '../store/run-record.ts';
import type { RunStore } from '../store/run-store.ts';
import type { CallOff } from './call-off.ts';
import type { Dispatched, DispatchOrder } from './dispatch-pages.ts';
import type { EndRun } from './end-run.ts';
import { type PlantFeedsDeps, plantFeeds } from './plant-feeds.ts';
import { plantSeeds, plantSitemap, type SeedDeps } from './seed-run.ts';
import { Signal } from './signal.ts';

const CLAIM_AT_ONCE = 64;
/** Pages of a host in flight, by the fetches at once it is allowed: some being fetched, some waiting their turn, some on their way back. */
const IN_FLIGHT_PER_FETCH = 6;
const IN_FLIGHT_LEAST = 32;
const IN_FLIGHT_MOST = 400;
/** Facts may be heard by another process: nobody wakes this one then. */
const LOOK_EVERY_MS = 200;
/** What several pages bring is claimed together. */
const GATHER_MS = 10;
const LOST_EVERY_MS = 5_000;
const AFTER_FAULT_MS = 500;
const FAULTS_MAX = 20;
/** Work claimed so recently may have died with its conductor before it went out; its name keeps it from going out twice. */
const REOFFER_SECONDS = 100;

export interface ConductorDeps extends SeedDeps, PlantFeedsDeps {
  readonly runs: RunStore;
  readonly dispatch: (run: Run, pages: readonly ClaimedPage[], order: DispatchOrder) => Promise<Dispatched>;
  readonly endRun: EndRun;
  readonly callOff: Pick<CallOff, 'inVain'>;
  readonly log: Logger;
}

/** Sees one run through, from its seeds to its end, for as long as its lease is held. */
export class RunConductor {
  readonly #deps: ConductorDeps;
  readonly #id: string;
  readonly #signal = new Signal();
  #isOurs = true;
  /** What was claimed in the last so many seconds is to be offered again. */
  #offerAgainSeconds = 0;
  #sitemap: SitemapState = 'none';
  #feeds: FeedsState = 'none';
  #lostLookedForAt = 0;
  #faults = 0;
  #brokeSince: number | undefined;

  constructor(deps: ConductorDeps, id: string) {
    this.#deps = deps;
    this.#id = id;
  }

  /** Something has changed: a page ended, or the run was paused, resumed or called off. */
  wake(): void {
    this.#signal.raise();
  }

  /** What was offered may be lost: everything on its way that is in nobody's hands is offered once more. */
  offerAgain(): void {
    this.#offerAgainSeconds = Number.POSITIVE_INFINITY;
    this.#signal.raise();
  }

  /** The lease is gone or shall go: every later move of ours is refused by the run's row anyway. */
  letGo(): void {
    this.#isOurs = false;
    this.#signal.raise();
  }

  /** Resolves when the run has ended, rests, or isn't ours any more. Never rejects. */
  async conduct(): Promise<void> {
    let begun: { run: Run; rules: ScopeRules } | undefined;
    while (this.#isOurs) {
      try {
        begun ??= await this.#begin();
        if (begun === undefined || (await this.#step(begun.run, begun.rules))) return;
        this.#faults = 0;
        await this.#signal.wait(LOOK_EVERY_MS);
        await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
      } catch (error) {
        if (await this.#gaveUp(error)) return;
        // The claim may have been committed though its answer was lost, or not been put back: nobody else knows of it.
        this.#offerAgainSeconds = Math.max(this.#offerAgainSeconds, REOFFER_SECONDS);
        await new Promise((resolve) => setTimeout(resolve, AFTER_FAULT_MS));
      }
    }
  }

  /** @returns the run, or undefined where there is nothing left to conduct */
  async #begin(): Promise<{ run: Run; rules: ScopeRules } | undefined> {
    const { runs, endRun } = this.#deps;
    const run = await runs.get(this.#id);
    if (run === undefined) return undefined;
    if (run.status !== 'running') {
      await endRun.tidy(run);
      return undefined;
    }
    const rules = scopeRules(run.seed, run.scope, run.home);
    await plantSeeds(this.#deps, run, rules);
    this.#sitemap = run.seeded ? run.sitemap : rules.wantsSitemap ? 'waiting' : 'none';
    this.#feeds = run.seeded ? run.feeds : rules.wantsFeeds ? 'waiting' : 'none';
    await this.#offerInFlight(run, REOFFER_SECONDS);
    if (this.#feeds === 'waiting') this.#readFeeds(run, rules);
    if (this.#sitemap === 'waiting' && run.scope.crawlMode !== 'links_first') this.#readSitemap(run, rules);
    return { run, rules };
  }

  async #offerInFlight(run: Run, claimedWithinSeconds: number): Promise<void> {
    const underWay = await this.#deps.frontier.inFlight(run.id, claimedWithinSeconds);
    if (underWay.length === 0) return;
    await this.#deps.dispatch(run, underWay, { isOurs: () => this.#isOurs, isAgain: true });
  }

  /** What is asked for meanwhile comes after it; what fails is asked for still. */
  async #offerAsked(run: Run): Promise<void> {
    const claimedWithinSeconds = this.#offerAgainSeconds;
    if (claimedWithinSeconds === 0) return;
    this.#offerAgainSeconds = 0;
    try {
      await this.#offerInFlight(run, claimedWithinSeconds);
    } catch (error) {
      this.#offerAgainSeconds = Math.max(this.#offerAgainSeconds, claimedWithinSeconds);
      throw error;
    }
  }

  #readSitemap(run: Run, rules: ScopeRules): void {
    void plantSitemap(this.#deps, run, rules, () => this.#isOurs)
      .then((state) => {
        this.#sitemap = state ?? this.#sitemap;
      })
      .catch((error: unknown) => {
        this.#deps.log.warn({ err: error, run: run.id }, 'the sitemap is given up');
        this.#sitemap = 'missing';
      })
      .finally(() => this.wake());
  }

  #readFeeds(run: Run, rules: ScopeRules): void {
    void plantFeeds(this.#deps, run, rules, () => this.#isOurs)
      .catch((error: unknown) => this.#deps.log.warn({ err: error, run: run.id }, 'feeds are given up'))
      .finally(() => {
        this.#feeds = 'read';
        this.wake();
      });
  }

  /** @returns whether the run needs no conductor any more */
  async #step(run: Run, rules: ScopeRules): Promise<boolean> {
    const { frontier, dispatch, leases } = this.#deps;
    if (performance.now() - this.#lostLookedForAt > LOST_EVERY_MS) {
      this.#lostLookedForAt = performance.now();
      await frontier.requeueLost(run.id);
    }
    await this.#offerAsked(run);
    const perHost = Math.min(IN_FLIGHT_MOST, Math.max(IN_FLIGHT_LEAST, run.scope.concurrency * IN_FLIGHT_PER_FETCH));
    const claim = await frontier.claim(run.id, Math.min(CLAIM_AT_ONCE, perHost), perHost);
    if (claim === undefined) return this.#notOurs(run);
    if (claim.run.stop !== null && claim.run.inFlight > 0) await this.#deps.callOff.inVain(run.id);
    const { poor, offered } =
      claim.pages.length === 0
        ? { poor: 0, offered: 0 }
        : await dispatch(run, claim.pages, { isOurs: () => this.#isOurs, isAgain: false });
    const move = nextMove(this.#standing(claim.run, run, poor));
    switch (move.do) {
      case 'wait':
        if (offered === Math.min(CLAIM_AT_ONCE, perHost)) this.wake();
        return false;
      case 'rest':
        await leases.release([run.id]);
        return true;
      case 'read_sitemap': {
        this.#sitemap = (await plantSitemap(this.#deps, run, rules, () => this.#isOurs)) ?? this.#sitemap;
        this.wake();
        return false;
      }
      case 'stop':
        await leases.setStop(run, move.stop);
        this.wake();
        return false;
      case 'end':
        await this.#deps.endRun.end(run);
        return true;
    }
  }

  #standing(now: RunNow, run: Run, poor: number) {
    const isMoving = now.inFlight > poor;
    return {
      ...now,
      stop: toStop(now.stop),
      isSiteDown: isSiteDown({ seed: run.seed, home: now.home ?? undefined, givenUp: now.givenUp }),
      inFlight: now.inFlight - poor,
      queued: now.queued + poor,
      room: now.room + poor,
      brokeForMs: this.#brokeForMs(poor, isMoving),
      sitemap: this.#sitemap,
      feeds: this.#feeds,
      readsSitemapLast: run.scope.crawlMode === 'links_first',
    };
  }

  #brokeForMs(poor: number, isMoving: boolean): number | undefined {
    if (poor === 0 || isMoving) this.#brokeSince = undefined;
    else this.#brokeSince ??= performance.now();
    return this.#brokeSince === undefined ? undefined : performance.now() - this.#brokeSince;
  }

  /** The claim found no running run of ours: it was called off, or another has it. */
  async #notOurs(run: Run): Promise<boolean> {
    this.#isOurs = false;
    this.#deps.log.info({ run: run.id }, 'a run is no longer conducted here');
    return true;
  }

  /** A fault of ours is tried again; one that stays is the run's end, and said. */
  async #gaveUp(error: unknown): Promise<boolean> {
    this.#deps.log.warn({ err: error, run: this.#id }, 'a run could not be conducted; trying again');
    this.#faults += isDatabaseUnavailable(error) || isPassing(error) ? 0 : 1;
    if (this.#faults < FAULTS_MAX) return false;
    const run = await this.#deps.runs.get(this.#id).catch(() => undefined);
    if (run !== undefined) await this.#deps.endRun.fail(run, 'the run could not be continued; the fault is ours');
    return true;
  }
}

const isPassing = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'unavailable';
