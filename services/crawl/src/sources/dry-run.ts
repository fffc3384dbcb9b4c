import type { Caller } from '@tidemark/contracts';
import type { DryRunResponse, Excluded, Scope } from '@tidemark/contracts/crawl/v1/crawl';
import { PatternTally } from '../domain/scope/pattern-tally.ts';
import { type EarlierPage, predictVisits, type VisitPredictor } from '../domain/scope/predict-visits.ts';
import { limitScope, readSeed } from '../domain/scope/scope-limits.ts';
import { checkPatterns, scopeRules } from '../domain/scope/scope-rules.ts';
import type { KnownStore } from '../store/ended-runs/known-store.ts';
import type { RunStore } from '../store/runs/run-store.ts';
import type { DeclaredEntries } from './declared-entries.ts';
import { DeclaredFiles, inTurns } from './declared-files.ts';
import { estimateCredits, type PagePrice, walkKnown } from './known-walk.ts';

const MAX_SAMPLES = 20;
/** Distinct reasons counted; a scope has up to 1,000 patterns. */
const MAX_REASONS = 200;
const MAX_REASONS_RETURNED = 50;
/** Time limit of the evaluation of declared URLs, ms. */
const MAX_TREE_MS = 5_000;

export interface DryRunOrder {
  readonly projectId: string;
  readonly seed: string;
  readonly scope: Scope;
  readonly samples: number;
  readonly price: PagePrice;
}

interface DryRunDeps {
  readonly runs: Pick<RunStore, 'lastFull'>;
  readonly known: KnownStore;
  readonly declared: DeclaredEntries;
}

/** Evaluates a scope over the URLs of a project's last full run. Fetches nothing. @throws AppError validation, unavailable */
export function makeDryRun({ runs, known, declared }: DryRunDeps) {
  return async (caller: Caller, order: DryRunOrder): Promise<DryRunResponse> => {
    checkPatterns(order.scope);
    const scope = limitScope(order.scope);
    const seed = readSeed(order.seed);
    const samples = Math.min(Math.max(order.samples, 0), MAX_SAMPLES);
    const run = await runs.lastFull(caller, order.projectId);
    const rules = scopeRules(seed, scope, run?.home);
    const patterns = new PatternTally(scope, samples);
    const tally = new VisitTally(predictVisits(seed, scope, rules), samples);
    const files = new DeclaredFiles(rules, patterns);
    const entries: { url: string; file: string }[] = [];
    const isTreeCut =
      patterns.hasSitemapPatterns &&
      (await declared(caller.workspaceId, seed, order.projectId, (url, file) => void entries.push({ url, file })));
    const isDeclaredCut = await inTurns(entries, performance.now() + MAX_TREE_MS, ({ url, file }) => {
      files.add(url, file);
    });
    const isCut =
      run !== undefined &&
      (await walkKnown(known, run, (page) => {
        tally.take(files.locate(page));
        patterns.take(page.url);
      }));
    const visited = Math.min(tally.inScope, scope.maxPages);
    return {
      ...tally.result(),
      runId: run?.id,
      visited,
      patterns: patterns.counted(),
      estimatedCredits: estimateCredits(visited, run, order.price),
      isCut: isCut || isTreeCut || isDeclaredCut,
    };
  };
}

/** Counts the URLs a scope would include and exclude. */
class VisitTally {
  readonly #predict: VisitPredictor;
  readonly #samples: number;
  readonly #excluded = new Map<string, Excluded>();
  readonly #in: string[] = [];
  readonly #newlyIn: string[] = [];
  readonly #newlyOut: string[] = [];
  #known = 0;
  inScope = 0;
  #newlyInCount = 0;
  #newlyOutCount = 0;

  constructor(predict: VisitPredictor, samples: number) {
    this.#predict = predict;
    this.#samples = samples;
  }

  take(page: EarlierPage): void {
    this.#known += 1;
    const decision = this.#predict(page);
    if (decision.follow) {
      this.inScope += 1;
      this.#sample(this.#in, page.url);
      if (page.isRead) return;
      this.#newlyInCount += 1;
      this.#sample(this.#newlyIn, page.url);
      return;
    }
    this.#exclude(decision.reason, page.url);
    if (!page.isRead) return;
    this.#newlyOutCount += 1;
    this.#sample(this.#newlyOut, page.url);
  }

  #exclude(reason: string, url: string): void {
    const group = this.#excluded.has(reason) || this.#excluded.size < MAX_REASONS ? reason : 'other reasons';
    const sum = this.#excluded.get(group) ?? { reason: group, urls: 0, samples: [] };
    sum.urls += 1;
    this.#sample(sum.samples, url);
    this.#excluded.set(group, sum);
  }

  #sample(list: string[], url: string): void {
    if (list.length < this.#samples) list.push(url);
  }

  result() {
    const excluded = [...this.#excluded.values()].sort((a, b) => b.urls - a.urls).slice(0, MAX_REASONS_RETURNED);
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
