import type { Project } from '@tidemark/sdk';
import { Panel } from '../../parts/panel.tsx';
import { paidFor, useRunEstimate } from '../../parts/settings/run-price.tsx';
import { NextRuns } from '../../parts/settings/schedule-editor.tsx';
import { useSettled } from '../../parts/use-settled.ts';
import { number } from '../../words/format.ts';
import { words } from '../../words/words.ts';

const { outlook: texts } = words.settings;

interface Props {
  readonly project: Project;
  /** Unsaved changes. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly schedule: string;
  readonly timezone: string;
}

/** What a run costs and when the next ones start, with the settings as they are on the page. */
export function RunOutlook({ project: { id }, config, schedule, timezone }: Props) {
  const settled = useSettled(config, JSON.stringify(config));
  const { data } = useRunEstimate(id, settled);
  const paid = data === undefined ? undefined : paidFor(data.estimatedCost);
  return (
    <Panel title={texts.title} className="xl:sticky xl:top-4">
      <dl className="grid gap-3 text-sm">
        <div>
          <dt className="text-xs text-muted">{texts.cost}</dt>
          <dd className="min-h-8 text-xl font-semibold tabular-nums">
            {data === undefined || data.runId === null ? '–' : number(data.estimatedCredits)}
          </dd>
          <dd className="text-xs text-muted">{data?.runId === null ? texts.unknown : (paid ?? texts.fromLast)}</dd>
        </div>
        <div>
          <dt className="text-xs text-muted">{texts.next}</dt>
          <dd>
            <NextRuns schedule={schedule} timezone={timezone} />
          </dd>
        </div>
      </dl>
    </Panel>
  );
}
