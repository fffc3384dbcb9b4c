import { AccountServiceService as Accounts } from '@tidemark/contracts/identity/v1/accounts';
import { IdentityServiceService as Identity } from '@tidemark/contracts/identity/v1/identity';
import { ProjectsServiceService as Projects } from '@tidemark/contracts/projects/v1/projects';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';

interface Peers {
  readonly identity: Peer;
  readonly projects: Peer;
}

interface Limit {
  readonly id: string;
  /** Null removes the limit: its key, member or project may be gone. */
  readonly credits: number | null;
}

/** Keys of a page; a workspace has at most 1,000. */
const PAGE = 500;
const MAX_PAGES = 3;

/** Refuses spend limits of keys, members and projects that the workspace does not have. @throws AppError validation (422) */
export async function requireSubjects(
  { identity, projects }: Peers,
  limits: readonly Limit[],
  call: CallContext,
): Promise<void> {
  const set = limits.filter(({ credits }) => credits !== null).map(({ id }) => id);
  const of = (prefix: string) => set.filter((id) => id.startsWith(prefix));
  const known = new Set<string>();
  if (of('key_').length > 0) for (const id of await keyIds(identity, call)) known.add(id);
  if (of('usr_').length > 0)
    for (const { userId } of (await identity.call(Accounts.listMembers, {}, call)).members) known.add(userId);
  if (of('prj_').length > 0) {
    const { missing } = await projects.call(Projects.listMissingProjects, { ids: of('prj_') }, call);
    for (const id of of('prj_')) if (!missing.includes(id)) known.add(id);
  }
  const faults = limits.flatMap(({ id, credits }, at) =>
    credits === null || known.has(id)
      ? []
      : [
          {
            loc: ['body', 'limits', at, 'id'],
            msg: `expected a key, member or project of this workspace, got "${id}"`,
            type: 'not_found',
          },
        ],
  );
  if (faults.length === 0) return;
  const messages = faults.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`);
  throw new AppError('validation', messages.slice(0, 20).join('; '), { detail: faults.slice(0, 20) });
}

async function keyIds(identity: Peer, call: CallContext): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { keys, nextCursor } = await identity.call(Identity.listKeys, { cursor, limit: PAGE }, call);
    ids.push(...keys.map(({ id }) => id));
    if (nextCursor === undefined) break;
    cursor = nextCursor;
  }
  return ids;
}
