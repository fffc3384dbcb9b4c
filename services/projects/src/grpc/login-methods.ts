import { ProjectsServiceService as Rpc } from '@tidemark/contracts/projects/v1/projects';
import { AppError } from '@tidemark/errors';
import { type BoundMethod, callerOf, handle } from '@tidemark/service';
import type { LoginProjectStore } from '../logins/login-project-store.ts';

const MAX_LOGINS = 1_000;

/** Which projects name saved logins. */
export function loginMethods(loginProjects: LoginProjectStore): BoundMethod[] {
  return [
    handle(Rpc.listLoginProjects, async ({ loginIds }, ctx) => {
      if (loginIds.length > MAX_LOGINS) throw new AppError('validation', `login_ids: at most ${MAX_LOGINS}`);
      const logins = await loginProjects.list(callerOf(ctx), loginIds.length === 0 ? undefined : loginIds);
      return { logins: logins.map(({ loginId, projectIds }) => ({ loginId, projectIds: [...projectIds] })) };
    }),
  ];
}
