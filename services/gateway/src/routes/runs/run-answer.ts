import { RUN_TRIGGERS, type RunEnvelope, type RunSummary } from '@tidemark/api';
import type { Run } from '@tidemark/contracts/crawl/v1/crawl';
import { AppError } from '@tidemark/errors';
import { runFacts } from '../crawl/run-envelope.ts';

function projectFacts(run: Run) {
  const trigger = RUN_TRIGGERS.find((known) => known === run.trigger);
  if (trigger === undefined) throw new AppError('internal', `a run has the unknown trigger ${run.trigger}`);
  return { ...runFacts(run), kind: 'run', projectId: run.projectId, trigger };
}

/** A run in its project's history. */
export const toRunSummary = (run: Run): RunSummary => ({ ...projectFacts(run), url: run.seed });

/** Where the pages of a run are read. */
export const pagesUrl = (baseUrl: string, { projectId, id }: Run): string =>
  `${baseUrl}/projects/${projectId}/pages?run_id=${id}`;

/** One run of a project, its pages left where they are. */
export const toRunEnvelope = (run: Run, baseUrl: string, requestId: string): RunEnvelope => ({
  ...projectFacts(run),
  data: [],
  next: pagesUrl(baseUrl, run),
  cursor: '0',
  request_id: requestId,
});
