import { ProjectsServiceService as Rpc } from '@tidemark/contracts/projects/v1/projects';
import type { CallContext, Peer } from '@tidemark/service';

/** Projects that name each saved login, by login ID. */
export type LoginProjects = ReadonlyMap<string, readonly string[]>;

/** Returns which projects name these logins, of the projects the caller may see. No IDs: all logins. */
export async function listLoginProjects(
  projects: Peer,
  call: CallContext,
  loginIds: readonly string[],
): Promise<LoginProjects> {
  const { logins } = await projects.call(Rpc.listLoginProjects, { loginIds: [...loginIds] }, call);
  return new Map(logins.map(({ loginId, projectIds }) => [loginId, projectIds]));
}

/** Whether the key is limited to some projects. It then sees only the logins that those projects name. */
export const isRestricted = ({ caller }: CallContext): boolean => caller?.access.kind === 'only';
