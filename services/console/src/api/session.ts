import { useSuspenseQuery } from '@tanstack/react-query';
import { type Session, TidemarkError } from '@tidemark/sdk';
import { client } from './client.ts';
import { queryClient, read } from './queries.ts';

export type Scope = 'read' | 'write' | 'admin';
export type SignedIn = Session & { readonly workspace: NonNullable<Session['workspace']> };

const FRESH_MS = 30_000;

/** Opens a page of the account pages, with the way back to the page that is open now. */
export function openSignIn(page: 'login' | 'code' = 'login'): void {
  const here = `${location.pathname}${location.search}`;
  location.assign(`/auth/${page}?next=${encodeURIComponent(here)}`);
}

const sessionRead = { ...read('GET /auth/session', {}), staleTime: FRESH_MS, refetchInterval: 5 * 60_000 };

/** Loads the session before the first page is rendered. Opens the sign-in page if there is none. @returns whether there is one */
export async function loadSession(): Promise<boolean> {
  try {
    const { state } = await queryClient.ensureQueryData(sessionRead);
    if (state === 'signed_in') return true;
    openSignIn('code');
  } catch (error) {
    // Any other failure is shown by the page, which reads the session again.
    if (!(error instanceof TidemarkError) || error.status !== 401) return true;
    openSignIn();
  }
  return false;
}

export const useSession = (): Session => useSuspenseQuery(sessionRead).data;

/** Whether the role of the signed-in person includes a scope. */
export function useCan(scope: Scope): boolean {
  const { workspace, blocked } = useSession();
  if (blocked !== null && scope !== 'read') return false;
  return workspace?.can.includes(scope) ?? false;
}

/** Makes another workspace the one of this session, and loads everything again. */
export async function switchWorkspace(id: string): Promise<void> {
  await client.call('POST /auth/switch', { body: { workspace_id: id } });
  location.assign('/');
}

export async function signOut(): Promise<void> {
  await client.call('POST /auth/logout', { body: {} });
  location.assign('/auth/login');
}
