import { actedBy, actorOf, type Caller, events, newId } from '@tidemark/contracts';
import type { LoginDeleted } from '@tidemark/contracts/scrape/v1/events';
import type { SessionCookie } from '@tidemark/contracts/scrape/v1/logins';
import { AppError } from '@tidemark/errors';
import { auditEvent, type OutgoingEvent } from '@tidemark/service';
import { checkName, type Login, type LoginReach, noLogin, reachOf } from './login.ts';
import type { LoginSessions } from './login-sessions.ts';
import type { LoginStore } from './login-store.ts';
import { readSession, readSite } from './read-session.ts';

const MAX_LOGINS = 1_000;
const MAX_LISTED = 100;

export interface SavedLoginsDeps {
  readonly logins: LoginStore;
  readonly sessions: LoginSessions;
  /** Refuses a URL the egress guard does not admit. @throws AppError validation */
  readonly admit: (url: string, field: string) => Promise<void>;
  /** Sends events whose rows are committed. */
  readonly send: (events: readonly OutgoingEvent[]) => void;
  /** Reports a deleted login to every instance at once. The event does so again. */
  readonly reportDeleted: (login: LoginDeleted) => void;
  readonly now: () => Date;
}

export interface LoginImport {
  readonly site: string;
  readonly name: string;
  readonly cookies: readonly SessionCookie[];
  readonly termsAccepted: boolean;
}

export interface LoginRef {
  readonly id: string;
  /** Whether a project that the caller may see names the login. */
  readonly namedByProject: boolean;
}

export interface LoginChange {
  readonly name: string | undefined;
  /** Empty: the session is kept. */
  readonly cookies: readonly SessionCookie[];
}

/** Imports, lists, updates and deletes saved logins. A key with a project allow-list may only read them. */
export class SavedLogins {
  readonly #deps: SavedLoginsDeps;

  constructor(deps: SavedLoginsDeps) {
    this.#deps = deps;
  }

  /** @throws AppError validation, forbidden, plan_limit */
  async import(caller: Caller, request: LoginImport): Promise<Login> {
    const { logins, sessions, admit, now } = this.#deps;
    refuseRestricted(caller, 'save logins');
    if (!request.termsAccepted) throw termsRefused();
    const name = checkName(request.name);
    const site = readSite(request.site);
    const at = now();
    const session = readSession(request.cookies, site, at);
    await admit(site.frontPage, 'site');
    const { workspaceId } = caller;
    if ((await logins.count(workspaceId)) >= MAX_LOGINS) {
      throw new AppError('plan_limit', `a workspace holds at most ${MAX_LOGINS} saved logins; delete some`);
    }
    const id = newId('lgn');
    const login = { id, workspaceId, ...site, name, savedBy: actorOf(caller), at, session };
    const detail = { site: site.site };
    const entry = auditEvent(events.scrapeAudited, actedBy(caller), {
      action: 'login.saved',
      subjectId: id,
      detail,
      at,
    });
    await logins.create(login, sessions.seal(session.cookies, id), [entry]);
    this.#deps.send([entry]);
    return this.#find(reachOf(caller, []), id);
  }

  /** Newest first. */
  async list(
    reach: LoginReach,
    limit: number,
    cursor?: string,
  ): Promise<{ logins: Login[]; next: string | undefined }> {
    const size = Math.min(Math.max(limit, 1), MAX_LISTED);
    const found = await this.#deps.logins.list(reach, cursor, size + 1);
    const logins = found.slice(0, size);
    return { logins, next: found.length > size ? logins.at(-1)?.id : undefined };
  }

  /** @throws AppError not_found */
  get(caller: Caller, login: LoginRef): Promise<Login> {
    return this.#find(reachTo(caller, login), login.id);
  }

  /** @throws AppError not_found, forbidden, validation */
  async update(caller: Caller, login: LoginRef, { name, cookies }: LoginChange): Promise<Login> {
    const { logins, sessions, now } = this.#deps;
    const { id } = login;
    const { workspaceId } = caller;
    const stored = await logins.session(reachTo(caller, login), id);
    if (stored === undefined) throw noLogin();
    refuseRestricted(caller, 'change logins');
    const checkedName = name === undefined ? undefined : checkName(name);
    const at = now();
    const session = cookies.length === 0 ? undefined : readSession(cookies, stored, at);
    if (checkedName !== undefined || session !== undefined) {
      const replaced = session && { session, sealed: sessions.seal(session.cookies, id), at };
      const detail = { renamed: checkedName !== undefined, sessionReplaced: session !== undefined };
      const entry = auditEvent(events.scrapeAudited, actedBy(caller), {
        action: 'login.changed',
        subjectId: id,
        detail,
        at,
      });
      await logins.change(caller, id, { name: checkedName, replaced, outgoing: [entry] });
      this.#deps.send([entry]);
    }
    return this.#find({ workspaceId, visibleIds: undefined }, id);
  }

  /** @throws AppError not_found, forbidden */
  async delete(caller: Caller, login: LoginRef): Promise<void> {
    await this.#find(reachTo(caller, login), login.id);
    refuseRestricted(caller, 'delete logins');
    const action = { action: 'login.deleted', subjectId: login.id, at: this.#deps.now() };
    const entry = auditEvent(events.scrapeAudited, actedBy(caller), action);
    const outgoing = await this.#deps.logins.delete(caller.workspaceId, login.id, [entry]);
    if (outgoing === undefined) throw noLogin();
    this.#deps.reportDeleted({ loginId: login.id, workspaceId: caller.workspaceId });
    this.#deps.send(outgoing);
  }

  async #find(reach: LoginReach, id: string): Promise<Login> {
    const login = await this.#deps.logins.find(reach, id);
    if (login === undefined) throw noLogin();
    return login;
  }
}

export const reachTo = (caller: Caller, { id, namedByProject }: LoginRef): LoginReach =>
  reachOf(caller, namedByProject ? [id] : []);

function refuseRestricted({ access }: Caller, what: string): void {
  if (access.kind === 'only') throw new AppError('forbidden', `this key is for some projects only, and can’t ${what}`);
}

const termsRefused = (): AppError => {
  const msg = 'a session is saved only where its owner may use it so, and says it';
  return new AppError('validation', `terms_accepted: ${msg}`, {
    detail: [{ loc: ['body', 'terms_accepted'], msg, type: 'terms_refused' }],
  });
};
