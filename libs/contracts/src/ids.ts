import { typeidUnboxed } from 'typeid-js';

/** The one table of id prefixes (TypeID: prefix and UUIDv7, so that ids sort by creation and serve as cursors). */
export const ID_PREFIXES = ['ws', 'key', 'prj', 'job', 'run', 'cap', 'led', 'lgn', 'req', 'whd', 'con', 'ntc'] as const;
export type IdPrefix = (typeof ID_PREFIXES)[number];

/** A new id such as `job_01j5…`. */
export function newId(prefix: IdPrefix): string {
  return typeidUnboxed(prefix);
}

/** Whether `value` has the shape of an id with this prefix: a cheap test before a query. */
export function isId(prefix: IdPrefix, value: string): boolean {
  return (
    value.length === prefix.length + 27 &&
    value.startsWith(`${prefix}_`) &&
    /^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(value.slice(prefix.length + 1))
  );
}
