import type { ApiKey, NewApiKey } from '@tidemark/sdk';

const DAY_MS = 86_400_000;

/** The fields of the form that creates a key. */
export interface KeyDraft {
  readonly name: string;
  readonly scope: 'read' | 'write' | 'admin';
  readonly expiresInDays: number | undefined;
  readonly projects: readonly string[];
  readonly rpm: number | undefined;
}

/** Returns the request that creates a key from the fields of a form. */
export const keyRequest = ({ name, scope, expiresInDays, projects, rpm }: KeyDraft): NewApiKey => ({
  name: name.trim(),
  scopes: [scope],
  ...(projects.length === 0 ? {} : { projects: [...projects] }),
  ...(expiresInDays === undefined ? {} : { expires_in_days: expiresInDays }),
  ...(rpm === undefined ? {} : { rpm }),
});

/** Returns the request of a key with the rights of another: its lifetime has the same number of days. */
export function sameRights({ name, scopes, projects, rpm, createdAt, expiresAt }: ApiKey): NewApiKey {
  const days =
    expiresAt === null ? undefined : Math.max(1, Math.round((Date.parse(expiresAt) - Date.parse(createdAt)) / DAY_MS));
  return {
    name,
    scopes,
    projects,
    ...(days === undefined ? {} : { expires_in_days: days }),
    ...(rpm === null ? {} : { rpm }),
  };
}
