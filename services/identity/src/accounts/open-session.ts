import { newId } from '@tidemark/contracts';
import { hashToken, isToken, newToken } from '../domain/secret-token.ts';
import type { Queryable } from '../store/queryable.ts';
import type { NewSession, RotateSession, SessionStore } from '../store/session-store.ts';

/** A session with the token for its cookie. */
export interface OpenedSession {
  readonly id: string;
  readonly token: string;
}

/** Creates a session with a new token, and ends the one that the client had: nothing could end it later. */
export async function openSession(
  sessions: SessionStore,
  db: Queryable,
  session: Omit<NewSession, 'id' | 'tokenHash'>,
): Promise<OpenedSession> {
  const [id, token] = [newId('ses'), newToken()];
  const { sessionToken = '' } = session.client;
  if (isToken(sessionToken)) await sessions.endOfToken(db, hashToken(sessionToken));
  await sessions.create(db, { ...session, id, tokenHash: hashToken(token) });
  return { id, token };
}

/** Replaces the token of a session (session fixation: no token is valid before and after a change of rights). @returns undefined if it has ended */
export async function rotateSession(
  sessions: SessionStore,
  db: Queryable,
  { id, ...change }: { readonly id: string } & Omit<RotateSession, 'tokenHash'>,
): Promise<OpenedSession | undefined> {
  const token = newToken();
  return (await sessions.rotate(db, id, { ...change, tokenHash: hashToken(token) })) ? { id, token } : undefined;
}
