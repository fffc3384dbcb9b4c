import { setTimeout as sleep } from 'node:timers/promises';
import { ATTEMPT_POLICIES, afterFailure, isPoison, retrySeconds } from '@tidemark/leased-work';
import { isDatabaseUnavailable, type Logger } from '@tidemark/service';
import { nextAction, type RunState } from '../domain/run/next-action.ts';
import { isSiteDown, type Run } from '../domain/run/run.ts';
import { scopeRules } from '../domain/scope/scope-rules.ts';
import { toStop } from '../store/runs/run-record.ts';
import type { RunStore } from '../store/runs/run-store.ts';
import { type DispatchedBatch, RunDispatch, type RunDispatchDeps } from './dispatch/run-dispatch.ts';
import type { EndRun } from './end/end-run.ts';
import type { Orchestrator } from './lease/leased-runs.ts';
import { RunLease } from './lease/run-lease.ts';
import { RunSeeding, type RunSeedingDeps } from './seeding/run-seeding.ts';
import { Signal } from './signal.ts';

/** Poll interval, ms: events of this run may be handled by another instance, which can't wake this one. */
const POLL_EVERY_MS = 200;
/** Wait after a wake-up, ms, so that the results of several pages lead to one claim. */
const DEBOUNCE_MS = 10;
/** The same while enough pages are in flight, ms; shorter than the time for which they suffice. */
const SUPPLIED_DEBOUNCE_MS = 200;
const POLICY = ATTEMPT_POLICIES['crawl.runs'];
/** Pages claimed within this time, seconds, may not have been offered before their orchestrator failed; work ids prevent duplicates. */
const REOFFER_SECONDS = 100;

export interface OrchestratorDeps extends RunSeedingDeps, RunDispatchDeps {
  readonly runs: RunStore;
  readonly endRun: EndRun;
  readonly log: Logger;
}

/** What follows a step of a run: no more orchestration, or the next step; `later` while enough pages are in flight. */
type Advanced = 'done' | 'soon' | 'later';

interface ActiveRun {
  readonly run: Run;
  readonly seeding: RunSeeding;
}

/** Drives one run from seeding to completion. Requires the run's lease; stops when it is lost. */
export class RunOrchestrator implements Orchestrator {
  readonly #deps: OrchestratorDeps;
  readonly #id: string;
  readonly #lease: RunLease;
  readonly #dispatch: RunDispatch;
  readonly #signal = new Signal();
  #failures = 0;

  constructor(deps: OrchestratorDeps, id: string) {
    this.#deps = deps;
    this.#id = id;
    this.#lease = new RunLease(deps.leases, id);
    this.#dispatch = new RunDispatch(deps, () => this.#lease.isHeld);
  }

  wake(): void {
    this.#signal.raise();
  }

  reoffer(): void {
    this.#dispatch.requestReoffer(Number.POSITIVE_INFINITY);
    this.#signal.raise();
  }

  stop(): void {
    this.#lease.markLost();
    this.#signal.raise();
  }

  async orchestrate(): Promise<void> {
    let active: ActiveRun | undefined;
    while (this.#lease.isHeld) {
      try {
        active ??= await this.#begin();
        const advanced = active === undefined ? 'done' : await this.#advance(active);
        if (advanced === 'done') return;
        this.#failures = 0;
        await this.#signal.wait(POLL_EVERY_MS);
        await sleep(advanced === 'later' ? SUPPLIED_DEBOUNCE_MS : DEBOUNCE_MS);
      } catch (error) {
        if (await this.#failedForGood(error)) return;
        // A claim may be committed though its response was lost; no other instance offers its pages.
        this.#dispatch.requestReoffer(REOFFER_SECONDS);
        await sleep(retrySeconds(POLICY, this.#failures) * 1_000);
      }
    }
  }

  /** Loads and seeds the run. @returns undefined if there is nothing left to do */
  async #begin(): Promise<ActiveRun | undefined> {
    const { runs, endRun, log } = this.#deps;
    const run = await runs.get(this.#id);
    if (run === undefined) return undefined;
    if (run.status !== 'running') {
      await endRun.cleanUp(run);
      return undefined;
    }
    if (isPoison(run.interruptions)) {
      log.error(
        { run: run.id, interruptions: run.interruptions },
        'run ended the process that worked on it too often, it fails',
      );
      await endRun.failPoison(run);
      return undefined;
    }
    const rules = scopeRules(run.seed, run.scope, run.home);
    const control = { hasLease: () => this.#lease.isHeld, onChange: () => this.wake() };
    const seeding = new RunSeeding(this.#deps, { run, rules }, control);
    await seeding.enqueueSeeds();
    await this.#dispatch.reoffer(run, REOFFER_SECONDS);
    seeding.startReading();
    return { run, seeding };
  }

  /** Dispatches one batch and performs the next action. */
  async #advance({ run, seeding }: ActiveRun): Promise<Advanced> {
    const batch = await this.#dispatch.next(run);
    if (batch === undefined) return this.#leaseLost();
    const action = nextAction(stateOf(run, batch, seeding));
    switch (action.do) {
      case 'wait':
        if (batch.isFull) this.wake();
        return batch.isSupplied && !batch.isFull ? 'later' : 'soon';
      case 'rest':
        await this.#lease.release();
        return 'done';
      case 'read_sitemap':
        await seeding.readSitemap();
        this.wake();
        return 'soon';
      case 'stop':
        await this.#deps.leases.setStop(run, action.stop);
        this.wake();
        return 'soon';
      case 'end':
        await this.#deps.endRun.end(run, action.stop);
        return 'done';
    }
  }

  /** The claim found no running run under this lease: the run was cancelled, or another instance holds the lease. */
  #leaseLost(): Advanced {
    this.#lease.markLost();
    this.#deps.log.info({ run: this.#id }, 'run lease lost, orchestration stops');
    return 'done';
  }

  /** Counts a failure. Ends the run after too many in a row; an unavailable dependency does not count. */
  async #failedForGood(error: unknown): Promise<boolean> {
    this.#deps.log.warn({ err: error, run: this.#id }, 'orchestration of a run failed, will retry');
    this.#failures += isDatabaseUnavailable(error) || isUnavailable(error) ? 0 : 1;
    if (afterFailure(POLICY, this.#failures).next === 'retry') return false;
    const run = await this.#deps.runs.get(this.#id).catch(() => undefined);
    if (run !== undefined)
      await this.#deps.endRun.fail(run, 'the run could not be continued because of an internal error');
    return true;
  }
}

function stateOf(run: Run, { now, unaffordable, outOfCreditsForMs }: DispatchedBatch, seeding: RunSeeding): RunState {
  return {
    ...now,
    stop: toStop(now.stop),
    isSiteDown: isSiteDown({ seed: run.seed, home: now.home ?? undefined, givenUp: now.givenUp }),
    inFlight: now.inFlight - unaffordable,
    queued: now.queued + unaffordable,
    room: now.room + unaffordable,
    outOfCreditsForMs,
    sitemap: seeding.sitemap,
    feeds: seeding.feeds,
    readsSitemapLast: run.scope.crawlMode === 'links_first',
  };
}

const isUnavailable = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'unavailable';
