import { isId } from '@tidemark/contracts';
import type { Run } from '@tidemark/contracts/crawl/v1/crawl';
import { ProjectsServiceService as Rpc } from '@tidemark/contracts/projects/v1/projects';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import { gotRun } from '../crawl/run-reader.ts';
import { checkedProjectId } from '../projects/project-endpoints.ts';

/** A run of a project by both their ids. @throws AppError not_found for what is no such id */
export function checkedRun({ id, run }: { readonly id: string; readonly run: string }) {
  const projectId = checkedProjectId(id);
  if (!isId('run', run)) throw new AppError('not_found', 'there is no such run');
  return { projectId, runId: run };
}

/** The newest run that stands for the site: finished, and no recrawl of single pages. */
async function latestFullRun(projects: Peer, projectId: string, call: CallContext): Promise<Run | undefined> {
  const asked = { projectId, status: 'done', limit: 1, cursor: '', fullOnly: true };
  return (await projects.call(Rpc.listRuns, asked, call)).runs[0];
}

export interface RunWanted {
  /** The project. */
  readonly id: string;
  /** The latest finished full run by default. */
  readonly runId?: string | undefined;
}

/** The run that is asked about; undefined where none was named and none has finished. @throws AppError not_found */
export async function askedRun(projects: Peer, { id, runId }: RunWanted, call: CallContext): Promise<Run | undefined> {
  if (runId === undefined) return latestFullRun(projects, checkedProjectId(id), call);
  const { run } = await projects.call(Rpc.getRun, { ...checkedRun({ id, run: runId }), withLog: false }, call);
  return gotRun(run);
}

/** The same where there must be one. @throws AppError not_found */
export async function mustRun(projects: Peer, wanted: RunWanted, call: CallContext): Promise<Run> {
  const run = await askedRun(projects, wanted, call);
  if (run === undefined) throw new AppError('not_found', 'no run of the project has finished yet');
  return run;
}
