import { LRUCache } from 'lru-cache';
import type { Run } from '../domain/run/run.ts';
import type { PageUrl } from '../domain/scope/page-url.ts';
import { type ScopeRules, scopeRules } from '../domain/scope/scope-rules.ts';
import { TrapDetector } from '../domain/scope/trap-detector.ts';

/** Runs cached per instance, and link decisions cached per run. */
const MAX_RUNS = 32;
const MAX_LINKS = 6_000;
/** Link decisions of all cached runs, 300 bytes each: most of these runs have ended. */
const MAX_LINKS_OF_ALL = 24_000;

/** The cached state of a run whose results are recorded: its rules, its traps and its link decisions. */
export interface RunContext {
  readonly run: Run;
  readonly rules: ScopeRules;
  readonly traps: TrapDetector;
  /** Returns the URL of a link if it is in scope. Cached, since the same link occurs on many pages. */
  link(url: string): PageUrl | undefined;
  /** Returns true at the first call: links of this run were ignored and have to be logged. */
  isFirstIgnored(): boolean;
  /** Number of cached decisions. */
  readonly cachedLinks: number;
  /** Clears the cached decisions. */
  clearLinks(): void;
}

export function runContext(run: Run, traps = new TrapDetector()): RunContext {
  const rules = scopeRules(run.seed, run.scope, run.home);
  const decisions = new Map<string, PageUrl | undefined>();
  let hasIgnored = false;
  return {
    run,
    rules,
    traps,
    link(url) {
      if (decisions.has(url)) return decisions.get(url);
      const decision = rules.evaluate(url, 'link');
      const page = decision.follow ? decision.page : undefined;
      if (decisions.size >= MAX_LINKS) decisions.clear();
      decisions.set(url, page);
      return page;
    },
    isFirstIgnored() {
      const isFirst = !hasIgnored;
      hasIgnored = true;
      return isFirst;
    },
    get cachedLinks() {
      return decisions.size;
    },
    clearLinks: () => decisions.clear(),
  };
}

/** Returns the context of a run whose site contains the host that the seed redirects to. */
export const withHome = (context: RunContext, home: string): RunContext =>
  runContext({ ...context.run, home }, context.traps);

/** The run contexts that were used last. */
export class RunContexts {
  readonly #find: (runId: string) => Promise<Run | undefined>;
  readonly #known = new LRUCache<string, RunContext>({ max: MAX_RUNS });

  constructor(find: (runId: string) => Promise<Run | undefined>) {
    this.#find = find;
  }

  async get(runId: string): Promise<RunContext | undefined> {
    const known = this.#known.get(runId);
    if (known !== undefined) {
      this.#boundLinks();
      return known;
    }
    const run = await this.#find(runId);
    if (run === undefined) return undefined;
    return this.#keep(runContext(run));
  }

  /** Caches a context instead of that of its run. */
  replace(context: RunContext): void {
    this.#keep(context);
  }

  delete(runId: string): void {
    this.#known.delete(runId);
  }

  #keep(context: RunContext): RunContext {
    this.#known.set(context.run.id, context);
    this.#boundLinks();
    return context;
  }

  /** Clears decisions of the runs that were not used for the longest time. Their traps are kept. */
  #boundLinks(): void {
    const contexts = [...this.#known.rvalues()].filter((context) => context !== undefined);
    let cached = contexts.reduce((sum, { cachedLinks }) => sum + cachedLinks, 0);
    for (const context of contexts) {
      if (cached <= MAX_LINKS_OF_ALL) return;
      cached -= context.cachedLinks;
      context.clearLinks();
    }
  }
}
