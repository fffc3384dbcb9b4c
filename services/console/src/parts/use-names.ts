import { useList } from '../api/lists.ts';
import { useRead } from '../api/queries.ts';
import { useCan, useSession } from '../api/session.ts';
import { words } from '../words/words.ts';
import { shortUrl } from './site-name.tsx';

/** Most keys whose names are read. */
const MAX_KEYS = 1000;

/** Names by id. */
export interface SubjectNames {
  readonly projects: ReadonlyMap<string, string>;
  readonly keys: ReadonlyMap<string, string>;
  readonly people: ReadonlyMap<string, string>;
}

/** Returns the names of projects, keys and people. Keys and members are visible to admins; others see ids. */
export function useNames(): SubjectNames {
  const isAdmin = useCan('admin');
  const { user } = useSession();
  const projects = useRead('GET /projects', { query: { limit: 0 } });
  const keys = useList('GET /me/keys', { query: { limit: MAX_KEYS } }, { enabled: isAdmin });
  const members = useRead('GET /auth/members', {}, { enabled: isAdmin });
  const named = (rows: readonly { readonly id: string; readonly name: string }[]) =>
    new Map(rows.map(({ id, name }) => [id, name]));
  return {
    projects: new Map((projects.data?.data ?? []).map(({ id, name, seed }) => [id, name ?? shortUrl(seed)])),
    keys: named(keys.data?.pages.flatMap(({ data }) => data) ?? []),
    people: named([...(members.data?.data ?? []), user]),
  };
}

const { actors: texts } = words.team;

/** Returns the name of an actor: a person, a key, or the schedule. */
export function actorName(id: string, { keys, people }: SubjectNames): string {
  if (id === '') return texts.operator;
  return people.get(id) ?? keys.get(id) ?? (id.startsWith('key_') ? texts.key : texts.person);
}

const ID = /\b(?:usr|key|prj)_[0-9a-hjkmnp-tv-z]{26}\b/g;

/** Returns a text with names in place of the ids that it contains. */
export const withNames = (text: string, { keys, people, projects }: SubjectNames): string =>
  text.replace(ID, (id) => people.get(id) ?? keys.get(id) ?? projects.get(id) ?? id);
