import {
  type ImportLoginRequest,
  type Login,
  ProjectsServiceService as Rpc,
} from '@tidemark/contracts/projects/v1/projects';
import { SessionCookie } from '@tidemark/contracts/scrape/v1/scrape';
import { askIn } from './fake-ground.ts';

export const SECRET = 'c00kie-of-a-member';

/** A cookie of a member of the site. */
export const cookie = (more: Partial<SessionCookie> = {}): SessionCookie =>
  SessionCookie.fromPartial({
    name: 'sid',
    value: SECRET,
    domain: '.site.test',
    isForSubdomains: true,
    path: '/',
    ...more,
  });

/** A workspace's way to its saved logins. */
export function loginsIn(...[service, workspaceId, key]: Parameters<typeof askIn>) {
  const own = askIn(service, workspaceId, key);
  const must = (login: Login | undefined): Login => {
    if (login === undefined) throw new Error('the answer holds no login');
    return login;
  };
  return {
    ...own,
    save: async (given: Partial<ImportLoginRequest> = {}): Promise<Login> => {
      const blank = { site: 'site.test', name: 'Member', cookies: [cookie()], termsAccepted: true };
      return must((await own.ask(Rpc.importLogin, { ...blank, ...given })).login);
    },
    logins: async () => (await own.ask(Rpc.listLogins, { limit: 0, cursor: '' })).logins,
    login: async (id: string) =>
      (await own.ask(Rpc.listLogins, { limit: 0, cursor: '' })).logins.find((l) => l.id === id),
    change: async (id: string, more: { name?: string; cookies?: SessionCookie[] }) =>
      must((await own.ask(Rpc.updateLogin, { id, name: more.name, cookies: more.cookies ?? [] })).login),
    drop: (id: string) => own.ask(Rpc.deleteLogin, { id }),
    test: (id: string) => own.ask(Rpc.testLogin, { id }),
    open: async (id: string) => (await own.ask(Rpc.openLogin, { id })).cookies,
    startRun: async (projectId: string) => (await own.ask(Rpc.startRun, { projectId, trigger: '' })).run?.id ?? '',
  };
}
