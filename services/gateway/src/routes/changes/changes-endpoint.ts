import { routes } from '@tidemark/api';
import { isId } from '@tidemark/contracts';
import { type ChangePosition, DiffServiceService as Diff, type ListedChange } from '@tidemark/contracts/diff/v1/diff';
import { ProjectsServiceService as Projects } from '@tidemark/contracts/projects/v1/projects';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import type { z } from 'zod';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { timeOf } from '../../responses/job-envelope.ts';
import { toChange } from './change-response.ts';

type ChangesQuery = z.output<typeof routes.listChanges.query>;

/** The changes of many projects. */
export function changesEndpoint({ projects, diff }: { readonly projects: Peer; readonly diff: Peer }): Endpoint {
  return endpoint(routes.listChanges, async ({ query, baseUrl, call, requestId, cursors }) => {
    const { tag, since, kind, unreviewed, limit } = query;
    const cursor = cursors.open(query.cursor, (text) => readPosition(text) !== undefined);
    const only = tag === undefined ? undefined : { ids: await idsWithTag(projects, tag, call) };
    // A list of no projects is refused by diff: it could be read as no restriction.
    if (only?.ids.length === 0) {
      const none = { data: [], next: null, cursor: null, until: timeOf(new Date()) };
      return { status: 200, body: { ...none, creditsUsed: 0, request_id: requestId } };
    }
    const after = cursor === undefined ? undefined : readPosition(cursor);
    const request = { only, since: dateOf(since), kind, unreviewed, after, limit };
    const { changes, isMore, completeUntil } = await diff.call(Diff.listChanges, request, call);
    const last = isMore ? changes.at(-1) : undefined;
    const body = {
      data: changes.map(toListed),
      ...cursors.nextPage(`${baseUrl}/changes?${filtersOf(query)}`, last && positionOf(last)),
      until: timeOf(completeUntil),
      creditsUsed: 0,
      request_id: requestId,
    };
    return { status: 200, body };
  });
}

/** Returns the query of the following page, without its cursor. */
function filtersOf({ tag, since, kind, unreviewed, limit }: ChangesQuery): string {
  const filters = new URLSearchParams({ limit: String(limit), kind });
  if (tag !== undefined) filters.set('tag', tag);
  if (since !== undefined) filters.set('since', since);
  if (unreviewed) filters.set('unreviewed', 'true');
  return filters.toString();
}

const dateOf = (time: string | undefined): Date | undefined => (time === undefined ? undefined : new Date(time));

async function idsWithTag(projects: Peer, tag: string, call: CallContext): Promise<string[]> {
  const found = await projects.call(Projects.listProjects, { tag, withConfig: false }, call);
  return found.projects.map(({ id }) => id);
}

function toListed({ entry, projectId, madeAt }: ListedChange) {
  if (entry === undefined) throw new AppError('internal', 'diff returned a change without its entry');
  return { ...toChange(entry), projectId, madeAt: timeOf(madeAt) };
}

const positionOf = ({ entry, madeAt }: ListedChange): string =>
  `${madeAt?.getTime() ?? 0}:${entry?.runId ?? ''}:${entry?.position ?? 0}`;

/** Reads the position of a cursor; undefined for any other text. */
function readPosition(text: string): ChangePosition | undefined {
  const [, madeAtMs = '', runId = '', position = ''] = /^(\d{1,15}):(run_[a-z0-9]{26}):(\d{1,9})$/.exec(text) ?? [];
  return isId('run', runId) ? { madeAt: new Date(Number(madeAtMs)), runId, position: Number(position) } : undefined;
}
