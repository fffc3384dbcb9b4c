import { asObject, routes } from '@tidemark/api';
import { DestinationServiceService as Rpc } from '@tidemark/contracts/export/v1/destinations';
import type { Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { requireFinishedRun } from '../../queries/find-run.ts';

/** A preview reads and shapes up to two thousand rows. */
const PREVIEW_WITHIN_MS = 60_000;

/** Endpoints of the shapes of destinations. */
export function shapeEndpoints({
  projects,
  export: peer,
}: {
  readonly projects: Peer;
  readonly export: Peer;
}): Endpoint[] {
  return [
    endpoint(routes.previewShape, async ({ body, call, requestId }) => {
      const { project_id: projectId, dataset, shape, columns = [], limit } = body;
      const run = await requireFinishedRun(projects, { id: projectId }, call);
      const shapeJson = shape === undefined || shape === null ? undefined : JSON.stringify(shape);
      const request = { projectId, runId: run.id, dataset, shapeJson, columns, limit };
      const shaped = await peer.call(Rpc.previewShape, request, call, { deadlineMs: PREVIEW_WITHIN_MS });
      return {
        status: 200,
        body: {
          runId: run.id,
          columns: shaped.columns,
          read: shaped.read,
          failed: shaped.failed,
          data: shaped.rowsJson.map((row) => asObject(JSON.parse(row))),
          failures: shaped.failures.map(({ column, message }) => ({ column: column ?? null, message })),

          creditsUsed: 0,
          request_id: requestId,
        },
      };
    }),

    endpoint(routes.listShapeFunctions, async ({ call, requestId }) => {
      const { functions, operators } = await peer.call(Rpc.listShapeFunctions, {}, call);
      const described = functions.map(({ resultJson, ...entry }) => {
        const result: unknown = JSON.parse(resultJson);
        return { ...entry, result };
      });
      return { status: 200, body: { functions: described, operators, creditsUsed: 0, request_id: requestId } };
    }),
  ];
}
