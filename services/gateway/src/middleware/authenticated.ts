import type { Feature } from '@tidemark/catalogue';
import { actorOf, type KeyCaller, type PersonCaller, type Role, type Scope } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import type { CallContext } from '@tidemark/service';
import type { Suspension } from './suspension.ts';

/** The signed-in person of a request. */
export interface SignedIn {
  readonly sessionId: string;
  readonly userId: string;
  readonly name: string;
  readonly email: string;
  /** half: the code of the second factor is missing. */
  readonly state: 'half' | 'full';
  /** undefined: the person is a member of no workspace, or of the session's no more. */
  readonly role: Role | undefined;
  /** The person can only read until the address is verified. */
  readonly mustVerifyEmail: boolean;
  readonly hasFactor: boolean;
  /** The workspace requires a second factor. */
  readonly needsFactor: boolean;
  /** Until when the last code counts as fresh, ms of `performance.now()`. */
  readonly codeFreshUntilMs: number;
}

/** The authenticated caller of a request: a key or a signed-in person. */
export interface Authenticated {
  /** undefined: a signed-in person without a workspace, or a request of a public route. */
  readonly caller: KeyCaller | PersonCaller | undefined;
  readonly keyName: string;
  readonly scopes: readonly Scope[];
  readonly plan: string;
  /** Features of the plan. */
  readonly features: readonly Feature[];
  /** Requests per minute of the key or person. */
  readonly rpm: number;
  /** Requests per minute of all keys and people of the workspace. */
  readonly workspaceRpm: number;
  /** undefined: the workspace is not suspended. */
  readonly suspension: Suspension | undefined;
  /** The key is an access token that a person granted to an application. It is valid in requests of the MCP endpoint only. */
  readonly isGrant: boolean;
  /** undefined: the caller is a key. */
  readonly person: SignedIn | undefined;
}

/** Returns the id that limits of a caller are counted for: all sessions of a person share one. */
export const limitedId = (auth: Pick<Authenticated, 'caller' | 'person'>): string =>
  auth.person?.userId ?? actorOf(requireCaller(auth));

/** Returns the caller of a route that needs a workspace. @throws AppError internal if the route was reached without one */
export function requireCaller({ caller }: Pick<Authenticated, 'caller'>): KeyCaller | PersonCaller {
  if (caller === undefined) throw new AppError('internal', 'the route was called without a workspace');
  return caller;
}

/** Returns the context of calls that a request makes. */
export function callOf({ caller, person }: Pick<Authenticated, 'caller' | 'person'>, requestId: string): CallContext {
  if (caller !== undefined) return { caller, requestId };
  if (person === undefined) return { requestId };
  return { person: { userId: person.userId, sessionId: person.sessionId }, requestId };
}
