import { ProjectsServiceService as Rpc } from '@tidemark/contracts/projects/v1/projects';
import { SessionCookie } from '@tidemark/contracts/scrape/v1/scrape';
import { AppError } from '@tidemark/errors';
import { callerOf, defineService, handle } from '@tidemark/service';
import { type RunningService, startService } from '@tidemark/testkit';

/** Projects that keeps saved logins, and answers what scrape asks of it. */
export interface FakeProjects extends RunningService {
  /** Sessions by workspace and login, such as `ws_1 login_1`. */
  readonly logins: Map<string, SessionCookie[]>;
  /** How often one was opened. */
  timesOpened(loginId: string): number;
  /** Questions that are answered as if nobody were there, before the next is answered. */
  away: number;
}

export async function startFakeProjects(): Promise<FakeProjects> {
  const logins: FakeProjects['logins'] = new Map();
  const opened: string[] = [];
  const face: Pick<FakeProjects, 'away'> = { away: 0 };
  const definition = defineService({
    name: 'projects',
    config: {},
    async start(app) {
      app.serve({ openLogin: Rpc.openLogin }, [
        handle(Rpc.openLogin, async ({ id }, ctx) => {
          opened.push(id);
          face.away -= 1;
          if (face.away >= 0) throw new AppError('unavailable', 'projects is away');
          const cookies = logins.get(`${callerOf(ctx).workspaceId} ${id}`);
          if (cookies === undefined) throw new AppError('not_found', 'there is no such login');
          return { cookies };
        }),
      ]);
    },
  });
  const timesOpened = (loginId: string) => opened.filter((id) => id === loginId).length;
  return Object.assign(face, await startService(definition, {}), { logins, timesOpened });
}

/** A cookie of the sites of tests, which speak plain HTTP. */
export const siteCookie = (value: string, more: Partial<SessionCookie> = {}): SessionCookie =>
  SessionCookie.fromPartial({ name: 'sid', value, domain: '127.0.0.2', path: '/', ...more });
