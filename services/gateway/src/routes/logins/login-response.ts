import { LOGIN_STATES, type LoginSummary } from '@tidemark/api';
import type { Login } from '@tidemark/contracts/scrape/v1/logins';
import { AppError } from '@tidemark/errors';
import { timeOf } from '../../responses/job-envelope.ts';

/** Converts a saved login to the REST form. `projectIds`: the projects that name it and the caller may see. */
export function toLogin(login: Login | undefined, projectIds: readonly string[]): LoginSummary {
  if (login === undefined) throw new AppError('internal', 'scrape returned no login');
  const state = LOGIN_STATES.find((known) => known === login.state);
  if (state === undefined) throw new AppError('internal', `a login has the unknown state ${login.state}`);
  return {
    id: login.id,
    site: login.site,
    name: login.name || null,
    savedBy: login.savedBy,
    savedAt: timeOf(login.savedAt),
    termsAcceptedAt: timeOf(login.termsAcceptedAt),
    state,
    reason: login.reason || null,
    checkedAt: login.checkedAt === undefined ? null : timeOf(login.checkedAt),
    cookies: login.cookies,
    expiresAt: login.expiresAt === undefined ? null : timeOf(login.expiresAt),
    projects: [...projectIds],
  };
}
