import { routes } from '@tidemark/api';
import { DiffServiceService as Diff } from '@tidemark/contracts/diff/v1/diff';
import { AppError } from '@tidemark/errors';
import { fromConfigMessage } from '@tidemark/project-config';
import type { Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { requireProject } from '../../queries/require-project.ts';
import { timeOf } from '../../responses/job-envelope.ts';
import { toChange } from './change-response.ts';

/** Time for a preview, which diff bounds below it, ms. */
const DEADLINE_MS = 20_000;

/** Evaluates an alert rule over the stored changes of a project. */
export function alertEndpoint({ projects, diff }: { readonly projects: Peer; readonly diff: Peer }): Endpoint {
  return endpoint(routes.previewAlert, async ({ params, body, call, requestId }) => {
    const { when, initial, cooldown_minutes: cooldownMinutes, limit } = body;
    const { id: projectId, config } = await requireProject(projects, params.id, call);
    const fieldNames = Object.keys(fromConfigMessage(config).fields ?? {});
    const request = { projectId, when, initial, cooldownMinutes, fieldNames, limit };
    const found = await diff.call(Diff.previewAlert, request, call, { deadlineMs: DEADLINE_MS });
    const matches = found.matches.map(({ entry, madeAt, isSent }) => {
      if (entry === undefined) throw new AppError('internal', 'diff returned a match without its change');
      return { change: toChange(entry), madeAt: timeOf(madeAt), sent: isSent };
    });
    const { matched, sent, dismissed, records, entries: changes, isCut: cut, failed, failure = null } = found;
    const since = found.since === undefined ? null : timeOf(found.since);
    const totals = { matched, sent, dismissed, records, changes, since, cut, failed, failure };
    return { status: 200, body: { matches, ...totals, creditsUsed: 0, request_id: requestId } };
  });
}
