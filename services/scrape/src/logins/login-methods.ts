import { LoginServiceService as Rpc } from '@tidemark/contracts/scrape/v1/logins';
import { type BoundMethod, callerOf, handle } from '@tidemark/service';
import { noLogin, reachOf } from './login.ts';
import type { RunLogins } from './run-logins.ts';
import type { SavedLogins } from './saved-logins.ts';
import type { TestLogin } from './test-login.ts';

export interface LoginMethodsDeps {
  readonly savedLogins: SavedLogins;
  readonly testLogin: TestLogin;
  readonly runLogins: RunLogins;
}

/** LoginService. No method returns a session. */
export function loginMethods({ savedLogins, testLogin, runLogins }: LoginMethodsDeps): BoundMethod[] {
  return [
    handle(Rpc.importLogin, async (request, ctx) => ({ login: await savedLogins.import(callerOf(ctx), request) })),
    handle(Rpc.listLogins, async ({ limit, cursor, projectLoginIds }, ctx) =>
      savedLogins.list(reachOf(callerOf(ctx), projectLoginIds), limit, cursor),
    ),
    handle(Rpc.getLogin, async (request, ctx) => ({ login: await savedLogins.get(callerOf(ctx), request) })),
    handle(Rpc.updateLogin, async (request, ctx) => ({
      login: await savedLogins.update(callerOf(ctx), request, { name: request.name, cookies: request.cookies }),
    })),
    handle(Rpc.deleteLogin, async (request, ctx) => {
      await savedLogins.delete(callerOf(ctx), request);
      return {};
    }),
    handle(Rpc.testLogin, async (request, ctx) => testLogin(callerOf(ctx), request, ctx.signal)),
    handle(Rpc.recordRunLogin, async ({ runId, loginId }, ctx) => {
      if (!(await runLogins.record(callerOf(ctx).workspaceId, loginId, runId))) throw noLogin();
      return {};
    }),
    handle(Rpc.getRunLogin, async ({ runId }, ctx) => ({
      loginId: await runLogins.find(callerOf(ctx).workspaceId, runId),
    })),
  ];
}
