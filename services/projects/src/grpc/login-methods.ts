import { ProjectsServiceService as Rpc, type Login as WireLogin } from '@tidemark/contracts/projects/v1/projects';
import { type BoundMethod, callerOf, handle } from '@tidemark/service';
import type { Login } from '../domain/login.ts';
import type { LoginDesk } from '../logins/login-desk.ts';
import { askedBy } from './asked-by.ts';

const toWire = (login: Login): WireLogin => ({ ...login, projectIds: [...login.projectIds] });

/** Saved logins. Only `openLogin` hands a session out: to services, never to anyone outside. */
export function loginMethods(desk: LoginDesk): BoundMethod[] {
  return [
    handle(Rpc.importLogin, async (order, ctx) => ({ login: toWire(await desk.import(callerOf(ctx), order)) })),
    handle(Rpc.listLogins, async ({ limit, cursor }, ctx) => {
      const { logins, next } = await desk.list(callerOf(ctx), limit, cursor);
      return { logins: logins.map(toWire), next };
    }),
    handle(Rpc.updateLogin, async ({ id, name, cookies }, ctx) => ({
      login: toWire(await desk.update(callerOf(ctx), id, { name, cookies })),
    })),
    handle(Rpc.deleteLogin, async ({ id }, ctx) => {
      await desk.delete(callerOf(ctx), id);
      return {};
    }),
    handle(Rpc.testLogin, async ({ id }, ctx) => {
      const { login, probe } = await desk.test(askedBy(ctx), id);
      return { login: toWire(login), probe };
    }),
    handle(Rpc.openLogin, async ({ id }, ctx) => ({ cookies: await desk.open(callerOf(ctx), id) })),
  ];
}
