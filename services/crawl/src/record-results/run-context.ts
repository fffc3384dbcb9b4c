import type { Run } from '../domain/run/run.ts';
import type { PageAddress } from '../domain/scope/page-address.ts';
import { type ScopeRules, scopeRules } from '../domain/scope/scope-rules.ts';
import { TrapDetector } from '../domain/scope/trap-detector.ts';

/** Runs kept in mind by one process, and addresses of each. */
const MAX_RUNS = 32;
const MAX_LINKS = 6_000;

/** What a process keeps in mind of a run whose pages come in: its rules, its traps, and how links it has seen were judged. */
export interface RunContext {
  readonly run: Run;
  readonly rules: ScopeRules;
  readonly traps: TrapDetector;
  /** The page a link leads to, where the run may visit it. The same link stands on many pages: it is judged once. */
  link(address: string): PageAddress | undefined;
}

export function runContext(run: Run, traps = new TrapDetector(run.traps)): RunContext {
  const rules = scopeRules(run.seed, run.scope, run.home);
  const decisions = new Map<string, PageAddress | undefined>();
  return {
    run,
    rules,
    traps,
    link(address) {
      if (decisions.has(address)) return decisions.get(address);
      const decision = rules.evaluate(address, 'link');
      const page = decision.follow ? decision.page : undefined;
      if (decisions.size >= MAX_LINKS) decisions.clear();
      decisions.set(address, page);
      return page;
    },
  };
}

/** The runs a process has in mind, the least lately used forgotten first. */
export class RunContexts {
  readonly #find: (runId: string) => Promise<Run | undefined>;
  readonly #known = new Map<string, RunContext>();

  constructor(find: (runId: string) => Promise<Run | undefined>) {
    this.#find = find;
  }

  async get(runId: string): Promise<RunContext | undefined> {
    const known = this.#known.get(runId);
    if (known !== undefined) {
      this.#known.delete(runId);
      this.#known.set(runId, known);
      return known;
    }
    const run = await this.#find(runId);
    if (run === undefined) return undefined;
    return this.#keep(runContext(run));
  }

  /** The seed landed on another host: from now on the run is at home there, too. */
  setHome(context: RunContext, home: string): void {
    this.#keep(runContext({ ...context.run, home }, context.traps));
  }

  delete(runId: string): void {
    this.#known.delete(runId);
  }

  #keep(context: RunContext): RunContext {
    this.#known.set(context.run.id, context);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_RUNS && oldest !== undefined) this.#known.delete(oldest);
    return context;
  }
}
