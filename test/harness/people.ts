import type { Session } from '@tidemark/api';
import { Secret, TOTP } from 'otpauth';
import { type Api, apiOf, type CookieJar } from './api.ts';
import type { Workspace } from './workspaces.ts';

export const PASSWORD = 'correct horse battery staple';

/** A signed-in person with a client that sends the session cookie. */
export interface Person extends Api {
  readonly id: string;
  readonly email: string;
  readonly jar: CookieJar;
}

/** Returns a new address. */
export const newEmail = (): string => `person-${crypto.randomUUID()}@example.com`;

/** Returns the code of a second factor at a time, by default now. */
export const codeOf = (secret: string, atMs = Date.now()): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: atMs });

/** Creates people as they do themselves, by the REST interface. */
export class People {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** Returns a client without a session that keeps the one it gets. */
  visitor(): Api & { readonly jar: CookieJar } {
    const jar: CookieJar = { cookie: '' };
    return { ...apiOf(this.#url, '', jar), jar };
  }

  /** Signs up: the person owns a new workspace. */
  async signUp(email = newEmail()): Promise<Person> {
    const visitor = this.visitor();
    return personOf(visitor, await visitor.post('/auth/signup', { email, password: PASSWORD, name: 'Ann' }));
  }

  async logIn(email: string, more: object = {}): Promise<Person> {
    const visitor = this.visitor();
    return personOf(visitor, await visitor.post('/auth/login', { email, password: PASSWORD, ...more }));
  }

  /** Makes a new person a member of a workspace, by an invitation of its admin key; an owner by the database, as no key names owners. */
  async join(workspace: Pick<Workspace, 'admin'>, role: 'viewer' | 'member' | 'admin'): Promise<Person> {
    const invited = await workspace.admin.post('/auth/invites', { email: newEmail(), role });
    const { link } = invited.body as { link: string };
    return this.accept(link);
  }

  /** Accepts an invitation as a new person. */
  async accept(link: string): Promise<Person> {
    const visitor = this.visitor();
    const accept = { token: link.split('#')[1], name: 'Bob', password: PASSWORD };
    return personOf(visitor, await visitor.post('/auth/invites/accept', accept));
  }
}

function personOf(
  api: Api & { readonly jar: CookieJar },
  { status, text, body }: Awaited<ReturnType<Api['post']>>,
): Person {
  if (status !== 200 && status !== 201) throw new Error(`no session was opened: ${status} ${text}`);
  const { user } = body as Session;
  return { ...api, id: user.id, email: user.email };
}

/** Turns the second factor of a person on. @returns its secret and recovery codes; the code of the current step is spent */
export async function enrol(person: Api): Promise<{ secret: string; recoveryCodes: string[] }> {
  const started = await person.patch('/auth/profile', { two_factor: 'start', password: PASSWORD });
  const { secret } = started.body as { secret: string };
  const confirmed = await person.post('/auth/2fa/verify', { code: codeOf(secret) });
  const { recoveryCodes } = confirmed.body as { recoveryCodes: string[] };
  return { secret, recoveryCodes };
}
