import { type Caller, newId } from '@tidemark/contracts';
import {
  type ProbeLoginResponse,
  ScrapeServiceService as Rpc,
  SessionCookie,
} from '@tidemark/contracts/scrape/v1/scrape';
import { AppError } from '@tidemark/errors';
import type { Outgoing, Peer } from '@tidemark/service';
import { z } from 'zod';
import { findingOfProbe, type Login, noLogin } from '../domain/login.ts';
import { readSession, readSite, type Session, unended } from '../domain/session-cookies.ts';
import { checkName } from '../keeping.ts';
import type { Admit } from '../new-project.ts';
import type { Asked } from '../run-starter.ts';
import type { Seals } from '../store/project-record.ts';
import type { LoginStore, SealedSession } from './login-store.ts';

const MOST_LOGINS = 1_000;
const MOST_LISTED = 100;
/** Milliseconds a probe takes at most: the fetch has fifteen seconds. */
const PROBE_WITHIN_MS = 20_000;

const Cookies = z.array(z.unknown());

export interface LoginDeskDeps {
  readonly logins: LoginStore;
  readonly seals: Seals;
  readonly admit: Admit;
  readonly scrape: Peer;
  /** Sends facts whose rows are committed. */
  readonly tell: (facts: readonly Outgoing[]) => void;
  readonly now: () => Date;
}

export interface ImportOrder {
  readonly site: string;
  readonly name: string;
  readonly cookies: readonly SessionCookie[];
  readonly termsAccepted: boolean;
}

/**
 * Saved logins: sessions begun elsewhere, which pages are fetched with. A key that is for some projects sees and tests the logins those
 * name, and changes none: others' projects go by them too.
 */
export class LoginDesk {
  readonly #deps: LoginDeskDeps;

  constructor(deps: LoginDeskDeps) {
    this.#deps = deps;
  }

  /** @throws AppError validation, forbidden, plan_limit */
  async import(caller: Caller, order: ImportOrder): Promise<Login> {
    const { logins, admit, now } = this.#deps;
    refuseRestricted(caller, 'save logins');
    if (!order.termsAccepted) throw termsRefused();
    const name = checkName(order.name);
    const site = readSite(order.site);
    const at = now();
    const session = readSession(order.cookies, site, at);
    await admit(site.frontPage, 'site');
    const { workspaceId, keyId } = caller;
    if ((await logins.count(workspaceId)) >= MOST_LOGINS) {
      throw new AppError('plan_limit', `a workspace holds at most ${MOST_LOGINS} saved logins; delete some`);
    }
    const id = newId('lgn');
    await logins.create({ id, workspaceId, ...site, name, savedBy: keyId, at, session }, this.#seal(session, id));
    return this.#seen(caller, id);
  }

  /** Newest first. */
  async list(caller: Caller, limit: number, cursor: string): Promise<{ logins: Login[]; next: string }> {
    const wanted = limit <= 0 ? MOST_LISTED : Math.min(limit, MOST_LISTED);
    const found = await this.#deps.logins.list(caller, cursor, wanted + 1);
    const logins = found.slice(0, wanted);
    return { logins, next: found.length > wanted ? (logins.at(-1)?.id ?? '') : '' };
  }

  /** No cookies: the session stays as it is. @throws AppError not_found, forbidden, validation */
  async update(
    caller: Caller,
    id: string,
    { name, cookies }: { readonly name: string | undefined; readonly cookies: readonly SessionCookie[] },
  ): Promise<Login> {
    const { logins, now } = this.#deps;
    const { site, frontPage } = await this.#session(caller, id);
    refuseRestricted(caller, 'change logins');
    const wanted = name === undefined ? undefined : checkName(name);
    const at = now();
    const session = cookies.length === 0 ? undefined : readSession(cookies, { site, frontPage }, at);
    if (wanted !== undefined) await logins.rename(caller.workspaceId, id, wanted);
    if (session !== undefined) await logins.replace(caller, id, { session, sealed: this.#seal(session, id), at });
    return this.#seen(caller, id);
  }

  /** The session is gone at once. @throws AppError not_found, forbidden */
  async delete(caller: Caller, id: string): Promise<void> {
    await this.#session(caller, id);
    refuseRestricted(caller, 'delete logins');
    const told = await this.#deps.logins.delete(caller.workspaceId, id);
    if (told === undefined) throw noLogin();
    this.#deps.tell([told]);
  }

  /** One plain fetch of the site's front page with the session. @throws AppError not_found, unavailable */
  async test(asked: Asked, id: string): Promise<{ login: Login; probe: ProbeLoginResponse }> {
    const { logins, scrape, now } = this.#deps;
    const kept = await this.#session(asked.caller, id);
    const cookies = this.#open(kept);
    if (cookies.length === 0) {
      const reason = 'every cookie of the session has expired';
      await logins.note(id, { version: kept.version, state: 'dead', reason, at: now() });
      const probe = { answered: false, httpStatus: 0, showsLogin: false, landedUrl: '', reason };
      return { login: await this.#seen(asked.caller, id), probe };
    }
    const question = { url: kept.frontPage, cookies };
    const probe = await scrape.call(Rpc.probeLogin, question, asked, { deadlineMs: PROBE_WITHIN_MS });
    await logins.note(id, { version: kept.version, ...findingOfProbe(probe), at: now() });
    return { login: await this.#seen(asked.caller, id), probe };
  }

  /** The session, for whoever fetches with it. One that has ended is none. @throws AppError not_found */
  async open(caller: Caller, id: string): Promise<SessionCookie[]> {
    const cookies = this.#open(await this.#session(caller, id));
    if (cookies.length === 0) throw new AppError('not_found', 'the session of this saved login has ended');
    return cookies;
  }

  async #seen(caller: Caller, id: string): Promise<Login> {
    const login = await this.#deps.logins.find(caller, id);
    if (login === undefined) throw noLogin();
    return login;
  }

  async #session(caller: Caller, id: string): Promise<SealedSession> {
    const session = await this.#deps.logins.session(caller, id);
    if (session === undefined) throw noLogin();
    return session;
  }

  #seal({ cookies }: Session, id: string): Uint8Array {
    return this.#deps.seals.seal(JSON.stringify(cookies.map((cookie) => SessionCookie.toJSON(cookie))), id);
  }

  #open({ id, session }: SealedSession): SessionCookie[] {
    const stored: unknown = JSON.parse(this.#deps.seals.open(session, id));
    const cookies = Cookies.parse(stored).map((cookie) => SessionCookie.fromJSON(cookie));
    return unended(cookies, this.#deps.now());
  }
}

function refuseRestricted({ projects }: Caller, what: string): void {
  if (projects.length > 0) throw new AppError('forbidden', `this key is for some projects only, and can’t ${what}`);
}

const termsRefused = (): AppError => {
  const msg = 'a session is saved only where its owner may use it so, and says it';
  return new AppError('validation', `terms_accepted: ${msg}`, {
    detail: [{ loc: ['body', 'terms_accepted'], msg, type: 'terms_refused' }],
  });
};
