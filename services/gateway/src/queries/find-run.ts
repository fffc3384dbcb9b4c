import type { Run } from '@tidemark/contracts/crawl/v1/crawl';
import { ProjectsServiceService as Rpc } from '@tidemark/contracts/projects/v1/projects';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import { checkedId } from '../requests/checked-id.ts';
import { checkedProjectId } from '../requests/checked-project.ts';
import { requireRun } from './run-reader.ts';

/** Returns the ids of a project and a run. @throws AppError not_found if one is not well-formed */
export function checkedRun({ id, run }: { readonly id: string; readonly run: string }) {
  const projectId = checkedProjectId(id);
  return { projectId, runId: checkedId('run', run, 'run') };
}

export interface RunQuery {
  /** Id of the project. */
  readonly id: string;
  /** By default the run that shows the present state of the project: the newest full run that is done and read pages. */
  readonly runId?: string | undefined;
}

/** Returns the requested run; undefined if none was named and no run has read pages yet. @throws AppError not_found */
export async function findRun(projects: Peer, { id, runId }: RunQuery, call: CallContext): Promise<Run | undefined> {
  if (runId === undefined)
    return (await projects.call(Rpc.getPresentRun, { projectId: checkedProjectId(id) }, call)).run;
  const { run } = await projects.call(Rpc.getRun, { ...checkedRun({ id, run: runId }), withLog: false }, call);
  return requireRun(run);
}

/** Returns the requested run. @throws AppError not_found if there is none */
export async function requireFinishedRun(projects: Peer, query: RunQuery, call: CallContext): Promise<Run> {
  const run = await findRun(projects, query, call);
  if (run === undefined) throw new AppError('not_found', 'no run of the project has read a page yet');
  return run;
}
