import { typeidUnboxed } from 'typeid-js';

/** All id prefixes. An id is a TypeID (prefix and UUIDv7): ids sort by creation time and are used as cursors. */
export const ID_PREFIXES = [
  'ws',
  'key',
  'prj',
  'job',
  'run',
  'cap',
  'led',
  'lgn',
  'rcs',
  'req',
  'whd',
  'con',
  'ntc',
  'fdl',
  'usr',
  'ses',
  'fac',
  'psk',
  'viw',
  'ivt',
  'mail',
  'dst',
  'syn',
  'aud',
  'rql',
  'sub',
  'ord',
  'inv',
  'crn',
] as const;
export type IdPrefix = (typeof ID_PREFIXES)[number];

/** Returns a new id such as `job_01j5…`. */
export function newId(prefix: IdPrefix): string {
  return typeidUnboxed(prefix);
}

/** Returns whether `value` is a well-formed id with this prefix. Used to reject a malformed id before a query. */
export function isId(prefix: IdPrefix, value: string): boolean {
  return (
    value.length === prefix.length + 27 &&
    value.startsWith(`${prefix}_`) &&
    /^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(value.slice(prefix.length + 1))
  );
}
