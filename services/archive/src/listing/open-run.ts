import type { ProjectRun } from '@tidemark/contracts/archive/v1/archive';
import { AppError } from '@tidemark/errors';
import { type CallContext, callerOf } from '@tidemark/service';
import type { ListedRun } from '../domain/listed-run.ts';
import type { RunStore } from '../store/run-store.ts';
import type { AskCrawl } from './ask-crawl.ts';
import type { Step } from './list-run.ts';

/** Steps along a run's pages before a question is answered: a thousand pages each. */
const STEPS = 3;
/** After this long the question is answered with what is listed. */
const WITHIN_MS = 500;

export interface OpenRunDeps {
  readonly runs: RunStore;
  readonly crawl: AskCrawl;
  /** Who asks at the same moment shares a step. */
  readonly listSome: (run: ListedRun) => Promise<Step | undefined>;
  /** Has runs looked at that are due. */
  readonly look: () => void;
}

const none = (): AppError => new AppError('not_found', 'there is no such run');

/**
 * The run a question is about, as its caller may see it, listed as far as may be by now.
 * @throws AppError not_found: another workspace's, another project's, or discarded
 */
export function makeOpenRun(deps: OpenRunDeps) {
  return async (asked: ProjectRun | undefined, call: CallContext): Promise<ListedRun> => {
    const { workspaceId, projects } = callerOf(call);
    if (asked === undefined || asked.projectId === '') throw none();
    if (projects.length > 0 && !projects.includes(asked.projectId)) throw none();
    const run = (await deps.runs.find(workspaceId, asked.runId)) ?? (await takeOn(deps, asked, call));
    if (run.projectId !== asked.projectId) throw none();
    return run.complete ? run : catchUp(deps, run);
  };
}

async function takeOn({ runs, crawl, look }: OpenRunDeps, asked: ProjectRun, call: CallContext): Promise<ListedRun> {
  const { workspaceId } = callerOf(call);
  const told = await crawl.find(asked.runId, call);
  if (told === undefined || told.projectId !== asked.projectId) throw none();
  const hasEnded = told.finishedAt !== undefined && told.status !== 'queued' && told.status !== 'running';
  const status = hasEnded ? told.status : 'running';
  await runs.takeOn({ id: asked.runId, workspaceId, projectId: asked.projectId, status });
  if (hasEnded) look();
  const run = await runs.find(workspaceId, asked.runId);
  if (run === undefined) throw none();
  return run;
}

async function catchUp({ listSome }: OpenRunDeps, run: ListedRun): Promise<ListedRun> {
  const until = performance.now() + WITHIN_MS;
  let at = run;
  try {
    for (let i = 0; i < STEPS && performance.now() < until; i += 1) {
      const step = await listSome(at);
      if (step === undefined) throw none();
      at = step.run;
      if (step.next !== 'more') break;
    }
  } catch (error) {
    // Without crawl the answer is what is listed, and says that there is more.
    if (!(error instanceof AppError) || error.code !== 'unavailable') throw error;
  }
  return at;
}
