/** Well-formed ids that do not exist. */
export const NO_JOB = 'job_01j5xq2w8se6fa7t0a6q1n3k2m';
export const NO_RUN = 'run_01j5xq2w8se6fa7t0a6q1n3k2m';
export const NO_PROJECT = 'prj_01j5xq2w8se6fa7t0a6q1n3k2m';
export const NO_KEY = 'key_01j5xq2w8se6fa7t0a6q1n3k2m';
export const NO_FEED = 'fdl_01j5xq2w8se6fa7t0a6q1n3k2m';
export const NO_USER = 'usr_01j5xq2w8se6fa7t0a6q1n3k2m';
export const NO_PASSKEY = 'psk_01j5xq2w8se6fa7t0a6q1n3k2m';
export const NO_VIEW = 'viw_01j5xq2w8se6fa7t0a6q1n3k2m';
export const NO_RECORDER = 'rcs_01j5xq2w8se6fa7t0a6q1n3k2m';
export const NO_INVITE = 'ivt_01j5xq2w8se6fa7t0a6q1n3k2m';
export const NO_DESTINATION = 'dst_01j5xq2w8se6fa7t0a6q1n3k2m';
export const NO_WORKSPACE = 'ws_01j5xq2w8se6fa7t0a6q1n3k2m';
export const NO_INVOICE = 'inv_01j5xq2w8se6fa7t0a6q1n3k2m';
export const NO_CREDIT_NOTE = 'crn_01j5xq2w8se6fa7t0a6q1n3k2m';
export const NO_AUDIT = 'aud_01j5xq2w8se6fa7t0a6q1n3k2m';
export const NO_LOGGED = 'rql_01j5xq2w8se6fa7t0a6q1n3k2m';
export const NO_CHANGE = `chg_${'a'.repeat(26)}`;
export const NO_IGNORED = `ign_${'a'.repeat(26)}`;

/** Returns a route's path with ids in place of its parameters. */
export const pathOf = ({ path }: { readonly path: string }, id: string, run: string = NO_RUN): string =>
  path
    .replace('{id}', id)
    .replace('{user}', id)
    .replace('{run}', run)
    .replace('{recorder}', NO_RECORDER)
    .replace('{change}', NO_CHANGE)
    .replace('{ignored}', NO_IGNORED)
    .replace('{child_id}', id)
    .replace('{key_id}', NO_KEY)
    .replace('{invoice_id}', NO_INVOICE)
    .replace('{note_id}', NO_CREDIT_NOTE)
    .replace('{feed}', NO_FEED)
    .replace('{dest}', NO_DESTINATION)
    .replace('{version}', '1');

/** Returns an id that does not exist, of the kind that a route's path begins with. */
export function unusedIdAt(path: string): string {
  if (path.startsWith('/me/keys')) return NO_KEY;
  if (path.startsWith('/auth/members')) return NO_USER;
  if (path.startsWith('/auth/views')) return NO_VIEW;
  if (path.startsWith('/auth/invites')) return NO_INVITE;
  if (path.startsWith('/orgs/children')) return NO_WORKSPACE;
  if (path.startsWith('/auth/passkeys')) return NO_PASSKEY;
  if (path.startsWith('/crawl')) return NO_RUN;
  return path.startsWith('/projects') ? NO_PROJECT : NO_JOB;
}
