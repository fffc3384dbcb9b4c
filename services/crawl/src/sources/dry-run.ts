import type { Caller } from '@tidemark/contracts';
import type { DryRunResponse, Excluded, Scope } from '@tidemark/contracts/crawl/v1/crawl';
import { foresight, type KnownPage } from '../domain/foresight.ts';
import { PatternTally } from '../domain/pattern-tally.ts';
import { checkPatterns, scopeRules } from '../domain/scope-rules.ts';
import { bounded, readSeed } from '../run-desk.ts';
import type { KnownStore } from '../store/known-store.ts';
import type { RunStore } from '../store/run-store.ts';
import { creditsOf, walkKnown } from './known-walk.ts';

const SAMPLES_MOST = 20;
/** Reasons told apart: a scope has up to a thousand patterns. */
const REASONS_MOST = 200;
const REASONS_TOLD = 50;

export interface DryRunOrder {
  readonly projectId: string;
  readonly seed: string;
  readonly scope: Scope;
  readonly samples: number;
}

interface DryRunDeps {
  readonly runs: Pick<RunStore, 'lastFull'>;
  readonly known: KnownStore;
}

/** What a scope would do to the addresses the last full run of a project knows. Nothing is fetched. @throws AppError validation */
export function makeDryRun({ runs, known }: DryRunDeps) {
  return async (caller: Caller, order: DryRunOrder): Promise<DryRunResponse> => {
    checkPatterns(order.scope);
    const scope = bounded(order.scope);
    const seed = readSeed(order.seed);
    const samples = Math.min(Math.max(order.samples, 0), SAMPLES_MOST);
    const run = await runs.lastFull(caller, order.projectId);
    const rules = scopeRules(seed, scope, run?.home);
    const patterns = new PatternTally(scope, samples);
    const tally = new ForesightTally(foresight(seed, scope, rules), samples);
    const isCut =
      run !== undefined &&
      (await walkKnown(known, run, (page) => {
        tally.take(page);
        patterns.take(page.url, page.inSitemap);
      }));
    const visited = Math.min(tally.inScope, scope.maxPages);
    return {
      ...tally.told(),
      runId: run?.id ?? '',
      visited,
      patterns: patterns.counted(),
      estimatedCredits: creditsOf(visited, run),
      isCut,
    };
  };
}

/** Counts what a scope would take and leave. */
class ForesightTally {
  readonly #foresee: ReturnType<typeof foresight>;
  readonly #samples: number;
  readonly #excluded = new Map<string, Excluded>();
  readonly #in: string[] = [];
  readonly #newlyIn: string[] = [];
  readonly #newlyOut: string[] = [];
  #known = 0;
  inScope = 0;
  #newlyInCount = 0;
  #newlyOutCount = 0;

  constructor(foresee: ReturnType<typeof foresight>, samples: number) {
    this.#foresee = foresee;
    this.#samples = samples;
  }

  take(page: KnownPage): void {
    this.#known += 1;
    const judgement = this.#foresee(page);
    if (judgement.follow) {
      this.inScope += 1;
      this.#sample(this.#in, page.url);
      if (page.isRead) return;
      this.#newlyInCount += 1;
      this.#sample(this.#newlyIn, page.url);
      return;
    }
    this.#exclude(judgement.reason, page.url);
    if (!page.isRead) return;
    this.#newlyOutCount += 1;
    this.#sample(this.#newlyOut, page.url);
  }

  #exclude(reason: string, url: string): void {
    const told = this.#excluded.has(reason) || this.#excluded.size < REASONS_MOST ? reason : 'other reasons';
    const sum = this.#excluded.get(told) ?? { reason: told, addresses: 0, samples: [] };
    sum.addresses += 1;
    this.#sample(sum.samples, url);
    this.#excluded.set(told, sum);
  }

  #sample(list: string[], url: string): void {
    if (list.length < this.#samples) list.push(url);
  }

  told() {
    const excluded = [...this.#excluded.values()].sort((a, b) => b.addresses - a.addresses).slice(0, REASONS_TOLD);
    return {
      known: this.#known,
      inScope: this.inScope,
      excluded,
      samples: this.#in,
      newlyIn: this.#newlyInCount,
      newlyOut: this.#newlyOutCount,
      newlyInSamples: this.#newlyIn,
      newlyOutSamples: this.#newlyOut,
    };
  }
}
