import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import type { RecordRequest } from '../record/make-record.ts';
import type { RecordedRun } from '../record/run-coverage.ts';
import type { SelectorBreak } from '../selectors/find-breaks.ts';
import type { BaselineRecord, RunFacts } from '../store/record-store.ts';
import type { Gathered } from './gather-pages.ts';

type Config = Readonly<Record<string, unknown>>;

/** What is known of a run before its record is made. */
export interface RunKnown {
  readonly run: RunFinished;
  readonly config: Config;
  readonly baseline: BaselineRecord | undefined;
  readonly gathered: Gathered;
  readonly kept: RunFacts;
}

/** What the record of a run is asked. */
export function requestOf({ run, config, baseline, gathered, kept }: RunKnown): RecordRequest {
  const isRecrawl = run.trigger === 'recrawl';
  const recorded: RecordedRun = {
    id: run.runId,
    projectId: run.projectId,
    isRecrawl,
    status: run.status,
    stop: run.stop,
    isSeedRead: gathered.isSeedRead,
    isSitemapUnreadable: !isRecrawl && (baseline?.inSitemap ?? 0) > 0 && gathered.inSitemap === 0,
    isRobotsUnreadable: gathered.robotsUnread > 0,
    scopeHash: kept.scopeHash,
    finishedAt: (run.finishedAt ?? new Date(0)).toISOString(),
  };
  return {
    run: recorded,
    ...(baseline === undefined
      ? {}
      : {
          baseline: {
            runId: baseline.runId,
            startedAtMs: baseline.startedAt?.getTime() ?? 0,
            isComplete: baseline.isComplete,
            scopeHash: baseline.scopeHash,
          },
        }),
    selectorBreaks: kept.breaks.length,
    brokenFields: brokenFields(kept.breaks, config, baseline?.config),
    templateChanges: config['template_changes'] === 'each' ? 'each' : 'fold',
  };
}

/** Fields whose selector broke, or is another than it was: what they say now is no news of the page. */
function brokenFields(breaks: readonly SelectorBreak[], now: Config, before: Config | undefined): ReadonlySet<string> {
  const [rules, earlier] = [rulesIn(now), rulesIn(before ?? {})];
  const names = new Set([...rules.keys(), ...earlier.keys()]);
  const broken = [...names].filter(
    (name) => rules.get(name) !== earlier.get(name) || breaks.some(({ setting }) => setting === `fields.${name}`),
  );
  return new Set(broken);
}

function rulesIn({ fields }: Config): Map<string, string> {
  if (typeof fields !== 'object' || fields === null) return new Map();
  return new Map(Object.entries(fields).map(([name, rule]) => [name, JSON.stringify(rule)]));
}
