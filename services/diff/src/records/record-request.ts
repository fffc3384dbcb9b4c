import { requiredEngine } from '@tidemark/catalogue/required-engine';
import type { CoverageEstimate } from '@tidemark/contracts/crawl/v1/crawl';
import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import { CONFIG_KEYS, type Settings } from '@tidemark/project-config';
import type { RecordedRun } from '../coverage/run-coverage.ts';
import { captureOptionsOf } from '../readings/run-capture-options.ts';
import type { SelectorBreak } from '../selectors/find-breaks.ts';
import type { BaselineRecord, RunMetadata } from '../store/record-store.ts';
import { overridesIn } from '../volatility/ignored-reason.ts';
import type { RecordRequest } from './build/build-record.ts';
import type { CollectedReadings } from './collect-readings.ts';

/** Data of a run, collected before its record is built. */
export interface RunSnapshot {
  readonly run: RunFinished;
  readonly config: Settings;
  readonly baseline: BaselineRecord | undefined;
  readonly collected: CollectedReadings;
  readonly metadata: RunMetadata;
  /** The estimated number of pages of the site. */
  readonly estimate: CoverageEstimate | undefined;
}

/** Returns the request for the record of a run. */
export function toRecordRequest({ run, config, baseline, collected, metadata, estimate }: RunSnapshot): RecordRequest {
  const isRecrawl = run.trigger === 'recrawl';
  const captureOptions = captureOptionsOf(config)?.options;
  const engine = captureOptions && requiredEngine(captureOptions);
  const recordedRun: RecordedRun = {
    id: run.runId,
    projectId: run.projectId,
    isRecrawl,
    status: run.status,
    stop: run.stop,
    isSeedRead: collected.isSeedRead,
    isSitemapUnreadable: !isRecrawl && (baseline?.inSitemap ?? 0) > 0 && collected.inSitemap === 0,
    isRobotsUnreadable: collected.robotsUnread > 0,
    scopeHash: metadata.scopeHash,
    finishedAt: (run.finishedAt ?? new Date(0)).toISOString(),
    estimate,
  };
  return {
    run: recordedRun,
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
    selectorBreaks: metadata.breaks.length,
    brokenFields: brokenFields(metadata.breaks, config, baseline?.config),
    templateChanges: config.template_changes ?? CONFIG_KEYS.template_changes.fallback,
    volatileOverrides: overridesIn(config),
    ...(engine === undefined ? {} : { requiredEngine: engine }),
  };
}

/** Returns the fields whose selector broke or was reconfigured: their values say nothing about the page. */
function brokenFields(
  breaks: readonly SelectorBreak[],
  now: Settings,
  before: Settings | undefined,
): ReadonlySet<string> {
  const [rules, earlier] = [rulesIn(now), rulesIn(before ?? {})];
  const names = new Set([...rules.keys(), ...earlier.keys()]);
  const broken = [...names].filter(
    (name) => rules.get(name) !== earlier.get(name) || breaks.some(({ setting }) => setting === `fields.${name}`),
  );
  return new Set(broken);
}

const rulesIn = ({ fields = {} }: Settings): Map<string, string> =>
  new Map(Object.entries(fields).map(([name, rule]) => [name, JSON.stringify(rule)]));
