import { type Project, ProjectsServiceService as Rpc } from '@tidemark/contracts/projects/v1/projects';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import { checkedProjectId } from '../requests/checked-project.ts';

/** Returns a project visible to the key. @throws AppError not_found */
export async function requireProject(projects: Peer, id: string, call: CallContext): Promise<Project> {
  const { project } = await projects.call(Rpc.getProject, { id: checkedProjectId(id) }, call);
  if (project === undefined) throw new AppError('not_found', 'project not found');
  return project;
}
