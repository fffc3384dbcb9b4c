import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import type { Settings } from '@tidemark/project-config';
import type { Logger } from '@tidemark/service';
import type pg from 'pg';
import type { Entry } from '../records/entries/entry.ts';
import { type NewMatch, writeMatches } from '../store/alert-store.ts';
import type { AlertPool } from './alert-pool.ts';
import { RuleSet } from './rule-set.ts';

/** Finds and writes the rules that the entries of one record meet, while the record is written. */
export interface RecordAlerts {
  readonly entriesWritten: (entries: readonly Entry[]) => Promise<void>;
  /** Logs rules that could not be evaluated for some entries. */
  readonly finish: () => void;
}

export interface RecordAlertDeps {
  readonly pool: Pick<AlertPool, 'evaluate'>;
  readonly client: pg.PoolClient;
  readonly log: Logger;
}

/** The run of a record, its configuration, and the run that it is compared with; undefined: there is none. */
export interface AlertedRun {
  readonly run: RunFinished;
  readonly config: Settings;
  readonly baselineRunId: string | undefined;
}

/** Makes the alerts of a record. What a failed or cancelled run saw is found again by the next run that is done, and matches then. */
export function makeRecordAlerts(
  { pool, client, log }: RecordAlertDeps,
  { run, config, baselineRunId = '' }: AlertedRun,
): RecordAlerts {
  const rules = new Map((run.status === 'done' ? (config.alerts ?? []) : []).map((rule) => [rule.id, rule]));
  const ruleSet = new RuleSet(pool, [...rules.values()]);
  return {
    entriesWritten: async (entries) => {
      if (ruleSet.isEmpty) return;
      const found = await ruleSet.matches(entries);
      const matches = found.flatMap(({ ruleId, entry }): NewMatch[] => {
        const rule = rules.get(ruleId);
        if (rule === undefined) return [];
        return [
          {
            alertId: rule.id,
            alertName: rule.name,
            entryId: entry.id,
            deltaKey: entry.deltaKey,
            pageKey: entry.pageKey,
            cooldownMinutes: rule.cooldown_minutes,
            baselineRunId: entry.baselineRunId ?? baselineRunId,
          },
        ];
      });
      await writeMatches(client, run, matches);
    },
    finish: () => {
      for (const [rule, { entries, message }] of ruleSet.faults)
        log.debug(
          { run: run.runId, project: run.projectId, rule, entries, fault: message },
          'alert rule not evaluated for some changes',
        );
    },
  };
}
