import type { RunSummary } from '@tidemark/sdk';
import { useRead } from '../api/queries.ts';
import { moment } from '../words/format.ts';
import { words } from '../words/words.ts';
import { Select } from './field.tsx';

const { picker: texts } = words.runs;
/** Runs that are offered: the newest. */
const MAX_RUNS = 60;

/** Whether a run has a state of the site that can be shown. */
const hasState = ({ status, counts }: RunSummary): boolean =>
  status !== 'queued' && status !== 'running' && Object.values(counts).some((pages) => pages > 0);

/** Returns the runs of a project whose state can be shown, newest first. */
export function useStateRuns(project: string): readonly RunSummary[] {
  const runs = useRead('GET /projects/{id}/runs', { path: { id: project }, query: { limit: MAX_RUNS } });
  return (runs.data?.data ?? []).filter(hasState);
}

/** Returns what a run is called where one is chosen: when it started. Runs of chosen pages are marked, because they have a part of the site. */
export const runName = ({ createdAt, trigger }: RunSummary): string =>
  trigger === 'recrawl' ? texts.part(moment(createdAt)) : texts.of(moment(createdAt));

interface Props {
  readonly project: string;
  /** The chosen run; undefined: the newest that read the whole site. */
  readonly run: string | undefined;
  readonly onRun: (run: string | undefined) => void;
}

/** Chooses the run whose state the page shows. It is absent while there is only one. */
export function RunPicker({ project, run, onRun }: Props) {
  const runs = useStateRuns(project);
  if (runs.length < 2 && run === undefined) return null;
  const isKnown = run === undefined || runs.some(({ id }) => id === run);
  return (
    <div className="w-56 max-w-full">
      <Select
        label={texts.label}
        hideLabel
        value={run ?? ''}
        onValue={(value) => onRun(value === '' ? undefined : value)}
        choices={[
          { value: '', text: texts.newest },
          ...(isKnown ? [] : [{ value: run, text: texts.older }]),
          ...runs.map((one) => ({ value: one.id, text: runName(one) })),
        ]}
      />
    </div>
  );
}
