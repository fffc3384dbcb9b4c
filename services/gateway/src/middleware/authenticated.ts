import type { Feature } from '@tidemark/catalogue';
import type { Caller, Role, Scope } from '@tidemark/contracts';

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
  readonly isVerified: boolean;
  readonly hasFactor: boolean;
  /** The workspace requires a second factor. */
  readonly needsFactor: boolean;
  /** Until when the last code counts as fresh, ms of `performance.now()`. */
  readonly codeFreshUntilMs: number;
}

/** The authenticated caller of a request: a key or a signed-in person. */
export interface Authenticated {
  readonly caller: Caller;
  readonly keyName: string;
  readonly scopes: readonly Scope[];
  readonly plan: string;
  /** Features of the plan. */
  readonly features: readonly Feature[];
  /** Requests per minute of the key or person. */
  readonly rpm: number;
  /** Requests per minute of all keys and people of the workspace. */
  readonly workspaceRpm: number;
  /** The workspace is suspended by its parent. */
  readonly isSuspended: boolean;
  /** The key is an access token that a person granted to an application. It is valid in requests of the MCP endpoint only. */
  readonly isGrant: boolean;
  /** undefined: the caller is a key. */
  readonly person: SignedIn | undefined;
}

/** Returns the id that limits of a caller are counted for: all sessions of a person share one. */
export const limitedId = ({ caller }: Pick<Authenticated, 'caller'>): string => caller.userId ?? caller.keyId;
