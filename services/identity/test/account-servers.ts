import { randomBytes } from 'node:crypto';
import {
  type AccountServiceService,
  AccountServiceService as Rpc,
  type Session,
} from '@tidemark/contracts/identity/v1/accounts';
import { AccountMailRequested } from '@tidemark/contracts/identity/v1/events';
import { Sealer } from '@tidemark/sealing';
import type { CallContext } from '@tidemark/service';
import {
  anonymous,
  personIn,
  type RunningService,
  startService,
  startTestServers,
  type TestServers,
} from '@tidemark/testkit';
import { Secret, TOTP } from 'otpauth';
import { identity } from '../src/service.ts';

export type { AccountServiceService };
export const PASSWORD = 'correct horse battery staple';
export const CLIENT = { ip: '127.0.0.1', userAgent: 'test' };

/** A mail that identity requested, with its content. */
export interface RequestedMail {
  readonly kind: string;
  readonly to: string;
  readonly token?: string;
}

export interface SignedIn {
  readonly token: string;
  readonly session: Session;
  readonly call: CallContext;
}

/** Identity on real servers, with or without a mail host. */
export interface AccountServers {
  readonly servers: TestServers;
  readonly service: RunningService;
  /** Mails requested so far to an address. Delivery does not run, so that the events stay in the outbox. */
  mailsTo(email: string): Promise<RequestedMail[]>;
  /** Signs up; with a mail host the account is verified by its link. */
  signUp(email: string, verified?: boolean): Promise<SignedIn>;
  logIn(email: string, more?: { code?: string; password?: string; ip?: string }): Promise<SignedIn>;
  /** The context of a session's calls, as the gateway sends it. */
  callOf(session: Session | undefined): CallContext;
  /** Turns the second factor on. Its codes of now and the next step are spent. */
  enrol(person: SignedIn): Promise<{ secret: string; recoveryCodes: string[]; person: SignedIn }>;
  close(): Promise<void>;
}

/** Returns a new address. */
export const newEmail = (): string => `person-${crypto.randomUUID()}@example.com`;

/** Returns the code of a secret at a time, by default now. */
export const codeOf = (secret: string, atMs = Date.now()): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: atMs });

export async function startAccounts(env: Readonly<Record<string, string>> = {}): Promise<AccountServers> {
  const servers = await startTestServers();
  const SEALING_KEYS = randomBytes(32).toString('base64');
  const sealer = new Sealer(SEALING_KEYS);
  const service = servers.own(
    await startService(identity, { ...servers.env, SEALING_KEYS, SIGN_UP: 'open', ACCOUNT_MAILS: 'on', ...env }),
  );
  const { peer } = service;

  const signedIn = (token: string, session: Session | undefined): SignedIn => {
    if (session === undefined) throw new Error('identity returned no session');
    return { token, session, call: callOf(session) };
  };
  const callOf = ({ id: sessionId, user, workspace }: Session): CallContext => {
    const person = { userId: user?.id ?? '', sessionId };
    return workspace === undefined ? { ...anonymous(), person } : personIn(workspace.id, person);
  };
  const mailsTo = async (email: string): Promise<RequestedMail[]> => {
    const rows = await servers.database.sql<{ payload: Buffer }>(
      "SELECT payload FROM identity.outbox WHERE subject = 'event.account.mail' ORDER BY id",
    );
    return rows
      .map(({ payload }) => AccountMailRequested.decode(payload))
      .map(({ id, kind, sealed }) => ({ kind, ...JSON.parse(sealer.open(sealed, id)) }))
      .filter(({ to }) => to === email);
  };
  return {
    servers,
    service,
    mailsTo,
    callOf,
    async signUp(email, verified = true) {
      const request = { email, password: PASSWORD, name: 'Ann', workspaceName: '', setupToken: '', client: CLIENT };
      const { token = '', session } = (await peer.call(Rpc.signUp, request, anonymous())).signedIn ?? {};
      if (!verified || session?.mustVerifyEmail === false) return signedIn(token, session);
      const link = (await mailsTo(email)).findLast(({ kind }) => kind === 'verify')?.token ?? '';
      const verify = { token: link, password: '', sessionToken: token, client: CLIENT };
      const response = await peer.call(Rpc.verify, verify, anonymous());
      return signedIn(response.signedIn?.token ?? '', response.signedIn?.session);
    },
    async logIn(email, { code = '', password = PASSWORD, ip = CLIENT.ip } = {}) {
      const request = { email, password, code, client: { ...CLIENT, ip } };
      const { token = '', session } = (await peer.call(Rpc.logIn, request, anonymous())).signedIn ?? {};
      return signedIn(token, session);
    },
    async enrol(person) {
      const start = { name: undefined, email: undefined, twoFactor: 'start' as const, password: PASSWORD };
      const { secret = '' } = await peer.call(Rpc.updateProfile, start, person.call);
      const code = { code: codeOf(secret), recoveryCode: '', client: CLIENT };
      const { signedIn: now, recoveryCodes } = await peer.call(Rpc.verifyCode, code, person.call);
      return { secret, recoveryCodes, person: signedIn(now?.token ?? '', now?.session) };
    },
    close: () => servers.close(),
  };
}

/** Returns the outcomes of calls: `ok`, or the code of the error. */
export async function outcomesOf(calls: readonly Promise<unknown>[]): Promise<string[]> {
  const outcomes = await Promise.all(
    calls.map((call) =>
      call.then(
        () => 'ok',
        (error) => error.code,
      ),
    ),
  );
  return outcomes.sort();
}
