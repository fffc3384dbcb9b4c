import { newId } from '@tidemark/contracts';
import {
  type ImportLoginRequest,
  type Login,
  LoginServiceService as Rpc,
  SessionCookie,
} from '@tidemark/contracts/scrape/v1/logins';
import { Sealer } from '@tidemark/sealing';
import { openPool } from '@tidemark/service';
import { callerIn, newWorkspace } from '@tidemark/testkit';
import { LoginDeletions } from '../src/logins/login-deletions.ts';
import { LoginSessions } from '../src/logins/login-sessions.ts';
import { LoginStore } from '../src/logins/login-store.ts';
import { makeOpenLogin } from '../src/logins/open-login.ts';
import type { ScrapeServers } from './scrape-servers.ts';

export const SECRET = 'c00kie-of-a-member';

/** A cookie of a member of site.test. */
export const cookie = (more: Partial<SessionCookie> = {}): SessionCookie =>
  SessionCookie.fromPartial({
    name: 'sid',
    value: SECRET,
    domain: '.site.test',
    isForSubdomains: true,
    path: '/',
    ...more,
  });

/** A cookie of the sites of tests, which use plain HTTP. */
export const siteCookie = (value: string, more: Partial<SessionCookie> = {}): SessionCookie =>
  SessionCookie.fromPartial({ name: 'sid', value, domain: '127.0.0.2', path: '/', ...more });

/** Options of a caller's key. `named`: logins that the projects of a restricted key name. */
interface Key {
  readonly projects?: readonly string[];
  readonly named?: readonly string[];
}

/** A client of LoginService for one workspace. */
export function loginsIn(
  { service }: Pick<ScrapeServers, 'service'>,
  workspaceId = newWorkspace(),
  { projects, named = [] }: Key = {},
) {
  const caller = callerIn(workspaceId, { projects });
  const { peer } = service;
  const ref = (id: string) => ({ id, namedByProject: named.includes(id) });
  const must = (login: Login | undefined): Login => {
    if (login === undefined) throw new Error('the response holds no login');
    return login;
  };
  const page = (limit: number, cursor?: string) =>
    peer.call(Rpc.listLogins, { limit, cursor, projectLoginIds: [...named] }, caller);
  const logins = async (): Promise<Login[]> => (await page(1_000)).logins;
  return {
    workspaceId,
    page,
    logins,
    save: async (more: Partial<ImportLoginRequest> = {}): Promise<Login> => {
      const request = { site: 'site.test', name: 'Member', cookies: [cookie()], termsAccepted: true, ...more };
      return must((await peer.call(Rpc.importLogin, request, caller)).login);
    },
    login: async (id: string) => (await logins()).find((login) => login.id === id),
    get: async (id: string): Promise<Login> => must((await peer.call(Rpc.getLogin, ref(id), caller)).login),
    change: async (id: string, more: { name?: string; cookies?: SessionCookie[] }) => {
      const request = { ...ref(id), name: more.name, cookies: more.cookies ?? [] };
      return must((await peer.call(Rpc.updateLogin, request, caller)).login);
    },
    drop: (id: string) => peer.call(Rpc.deleteLogin, ref(id), caller),
    test: (id: string, deadlineMs = 10_000) => peer.call(Rpc.testLogin, ref(id), caller, { deadlineMs }),
    recordRun: (loginId: string, runId: string) => peer.call(Rpc.recordRunLogin, { loginId, runId }, caller),
    loginOfRun: async (runId: string) => (await peer.call(Rpc.getRunLogin, { runId }, caller)).loginId,
  };
}

/** Direct access to stored sessions. */
export function openSessions(servers: ScrapeServers) {
  const pool = openPool(servers.database.url, 'scrape');
  const logins = new LoginStore(pool);
  const sessions = new LoginSessions(logins, new Sealer(servers.serviceEnv['SEALING_KEYS'] ?? ''), () => new Date());
  return {
    /** Opens a login as a capture does; undefined if there is no such session. */
    open: async (workspaceId: string, id: string) =>
      (await makeOpenLogin(sessions, new LoginDeletions())(workspaceId, id))?.cookies,
    /** Stores a login whose cookies and front page may be any. */
    async store(
      workspaceId: string,
      cookies: readonly SessionCookie[],
      frontPage = 'http://127.0.0.2/',
    ): Promise<string> {
      const id = newId('lgn');
      const session = { cookies, expired: 0, expiresAt: undefined };
      const login = { id, workspaceId, site: '127.0.0.2', frontPage, name: '', savedBy: 'key_test', session };
      await logins.create({ ...login, at: new Date() }, sessions.seal(cookies, id), []);
      return id;
    },
    close: () => pool.end(),
  };
}

/** Counts reads of saved logins in PostgreSQL, and makes one of them fail on request. */
export async function watchLoginReads(servers: ScrapeServers) {
  const { sql } = servers.database;
  await sql('CREATE SEQUENCE scrape.test_reads');
  await sql('CREATE TABLE scrape.test_failing_read (read bigint)');
  await sql(`
    CREATE FUNCTION scrape.test_on_read() RETURNS boolean LANGUAGE plpgsql AS $$
    BEGIN
      IF EXISTS (SELECT FROM scrape.test_failing_read WHERE read = nextval('scrape.test_reads')) THEN
        RAISE EXCEPTION 'the database is starting up' USING ERRCODE = '57P03';
      END IF;
      RETURN true;
    END $$`);
  await sql('ALTER TABLE scrape.logins RENAME TO stored_logins');
  await sql('CREATE VIEW scrape.logins AS SELECT * FROM scrape.stored_logins WHERE scrape.test_on_read()');
  const count = async (): Promise<number> => {
    const [row] = await sql<{ reads: number }>(
      'SELECT CASE WHEN is_called THEN last_value ELSE 0 END::int AS reads FROM scrape.test_reads',
    );
    return row?.reads ?? 0;
  };
  return {
    count,
    failNext: async () => {
      await sql('DELETE FROM scrape.test_failing_read');
      await sql('INSERT INTO scrape.test_failing_read VALUES ($1)', [(await count()) + 1]);
    },
  };
}
