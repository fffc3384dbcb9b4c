import type { RunSummary } from '@tidemark/sdk';
import { CircleAlert } from 'lucide-react';
import { words } from '../words/words.ts';

const { internalAdvice, keptState } = words.runs;
const { stops, advice } = words.runStops;

/** Why a run failed and what to do; nothing for a run that did not fail. */
export function FailedRun({ run }: { run: Pick<RunSummary, 'status' | 'stop' | 'error'> | null }) {
  if (run === null || run.status !== 'error') return null;
  const { stop, error } = run;
  const why = error ?? (stop === null ? words.runStatus.error : stops[stop]);
  return (
    <p className="anywhere mb-4 flex gap-2 rounded-lg bg-bad-tint px-4 py-3">
      <CircleAlert aria-hidden size={16} className="mt-0.5 shrink-0 text-bad" />
      <span>
        <strong className="block font-medium first-letter:uppercase">{why}</strong>
        {stop === null ? internalAdvice : (advice[stop] ?? internalAdvice)} {keptState}
      </span>
    </p>
  );
}
