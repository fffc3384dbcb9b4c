import { compileCondition } from '@tidemark/alert-rules';
import type { Caller } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { ExpressionError } from '@tidemark/expressions';
import type { EntryStore, EntryView, EntryWithStates } from '../store/entry-store.ts';
import type { AlertPool } from './alert-pool.ts';
import { type RuleCondition, RuleSet } from './rule-set.ts';

/** Entries that one preview evaluates, and that it reads at a time. */
const MAX_ENTRIES = 20_000;
const BATCH = 500;
/** Time of a preview, ms: what was evaluated until then is returned. */
const WITHIN_MS = 8_000;

export interface PreviewRequest {
  readonly projectId: string;
  readonly rule: RuleCondition & { readonly cooldownMinutes: number };
  /** The configured fields. */
  readonly fieldNames: readonly string[];
  /** Matches to return. */
  readonly limit: number;
}

export interface PreviewedMatch {
  readonly view: EntryView;
  readonly madeAt: Date;
  /** Not within the cooldown of an earlier match of the page. */
  readonly isSent: boolean;
}

/** What a rule would have matched in the stored records. */
export interface RulePreview {
  /** Newest first. */
  readonly matches: readonly PreviewedMatch[];
  readonly matched: number;
  readonly sent: number;
  /** Matches whose entries have a review mark. */
  readonly dismissed: number;
  readonly records: number;
  readonly entries: number;
  /** When the oldest evaluated record was made; undefined: there is none. */
  readonly since: Date | undefined;
  /** Older records were not evaluated. */
  readonly isCut: boolean;
  readonly failed: number;
  readonly failure: string | undefined;
}

/** Evaluates a rule over the stored records of a project, newest first. @throws AppError validation, with the place of a fault in the condition */
export type PreviewRule = (caller: Caller, request: PreviewRequest) => Promise<RulePreview>;

export interface PreviewDeps {
  readonly entries: Pick<EntryStore, 'withStates'>;
  readonly pool: Pick<AlertPool, 'evaluate'>;
  readonly nowMs: () => number;
}

export function makePreviewRule({ entries, pool, nowMs }: PreviewDeps): PreviewRule {
  return async (caller, { projectId, rule, fieldNames, limit }) => {
    checkCondition(rule.when, fieldNames);
    const untilMs = nowMs() + WITHIN_MS;
    const ruleSet = new RuleSet(pool, [rule]);
    const found: EntryWithStates[] = [];
    const runs = new Set<string>();
    let [evaluated, isMore] = [0, true];
    let last: EntryWithStates | undefined;
    while (isMore && evaluated < MAX_ENTRIES && nowMs() < untilMs && !ruleSet.isEmpty) {
      const after = last && { runId: last.runId, position: last.position };
      const batch = await entries.withStates(caller, projectId, after, BATCH);
      const byId = new Map(batch.map((view) => [view.entry.id, view]));
      const matches = await ruleSet.matches(batch.map(({ entry }) => entry));
      found.push(...matches.flatMap(({ entry }) => byId.get(entry.id) ?? []));
      for (const { runId } of batch) runs.add(runId);
      evaluated += batch.length;
      last = batch.at(-1) ?? last;
      isMore = batch.length === BATCH;
    }
    const matches = markSent(found, rule.cooldownMinutes);
    const fault = ruleSet.faults.get(rule.id);
    return {
      matches: matches.slice(0, limit),
      matched: matches.length,
      sent: matches.filter(({ isSent }) => isSent).length,
      dismissed: matches.filter(({ view }) => view.reviewedAt !== undefined).length,
      records: runs.size,
      entries: evaluated,
      since: last?.madeAt,
      isCut: isMore,
      failed: fault?.entries ?? 0,
      failure: fault?.message,
    };
  };
}

/** Marks the matches that are sent: in the order of time, those that no earlier match of the page precedes within the cooldown. */
function markSent(newestFirst: readonly EntryWithStates[], cooldownMinutes: number): PreviewedMatch[] {
  const lastSent = new Map<string, number>();
  return newestFirst
    .toReversed()
    .map((view): PreviewedMatch => {
      const { entry, madeAt } = view;
      const before = lastSent.get(entry.pageKey);
      const isSent = before === undefined || madeAt.getTime() - before >= cooldownMinutes * 60_000;
      if (isSent) lastSent.set(entry.pageKey, madeAt.getTime());
      return { view, madeAt, isSent };
    })
    .reverse();
}

/** @throws AppError validation with the place of the fault */
function checkCondition(when: string, fieldNames: readonly string[]): void {
  try {
    compileCondition(when, fieldNames);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    const detail = [{ loc: ['body', 'when'], msg: error.message, type: 'condition_refused' }];
    throw new AppError('validation', `when: ${error.message}`, { detail });
  }
}
