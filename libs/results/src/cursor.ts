import { createHash } from 'node:crypto';

/** A paginated list of one workspace. */
export interface ListScope {
  readonly workspaceId: string;
  /** Path of the list with its ids, relative to /v1: `/crawl/run_01j…`. */
  readonly path: string;
}

const CHECK_BYTES = 9;
/** Length of the check at the start of a cursor: base64url of `CHECK_BYTES`. */
const CHECK_LENGTH = 12;

const digest = ({ workspaceId, path }: ListScope, position: string): Buffer =>
  createHash('sha256').update(`${workspaceId}\n${path}\n${position}`).digest();

/**
 * Returns the cursor of a position in a list: the position with a check over workspace, list and position. The check detects a cursor
 * that was changed or belongs to another list or workspace. It is no secret: access never depends on a cursor, because every list is
 * filtered by the caller's workspace.
 */
export function sealCursor(list: ListScope, position: string): string {
  const check = digest(list, position).subarray(0, CHECK_BYTES).toString('base64url');
  return `${check}${Buffer.from(position).toString('base64url')}`;
}

/** Returns the position of a cursor; undefined if it is not a cursor of this list. */
export function openCursor(list: ListScope, cursor: string): string | undefined {
  const position = Buffer.from(cursor.slice(CHECK_LENGTH), 'base64url').toString();
  return sealCursor(list, position) === cursor ? position : undefined;
}
