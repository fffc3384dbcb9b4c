import type { PreviewShapeRequest, PreviewShapeResponse } from '@tidemark/contracts/export/v1/destinations';
import { DESTINATION_DATASETS } from '@tidemark/datasets';
import { AppError } from '@tidemark/errors';
import { ExpressionError } from '@tidemark/expressions';
import { callerOf, type FairQueue, type HandlerContext } from '@tidemark/service';
import { invalid } from '../domain/connection-values.ts';
import type { DestinationShape } from '../domain/destination.ts';
import type { SourcePeers } from '../download/peers.ts';
import { parseShape } from '../shapes/parse-shape.ts';
import { RowShaper } from '../shapes/shape-rows.ts';
import { openSyncRows, type SyncRows } from './sync-rows.ts';

const MAX_ROWS = 100;
/** Most rows that are read to find them. */
const MAX_READ = 2_000;

/** Applies a shape to the first rows of a run. `slots` bounds the previews and files of a process, fairly between workspaces. */
export type PreviewShape = (request: PreviewShapeRequest, ctx: HandlerContext) => Promise<PreviewShapeResponse>;

export function makePreviewShape(peers: SourcePeers, slots: FairQueue): PreviewShape {
  /** @throws AppError validation, not_found, conflict, unavailable */
  return async (request, ctx) => {
    const { projectId, runId, columns } = request;
    const dataset = DESTINATION_DATASETS.find((known) => known === request.dataset);
    if (dataset === undefined) throw invalid(['dataset'], `expected one of ${DESTINATION_DATASETS.join(', ')}`);
    const { shapeJson } = request;
    const shape = shapeJson === undefined ? undefined : parseShape(shapeJson, dataset);
    using stack = new DisposableStack();
    stack.defer(await slots.acquire(callerOf(ctx).workspaceId, ctx.signal));
    const rows = await openSyncRows(
      {
        sourceKind: 'run',
        sourceId: runId,
        projectId,
        dataset,
        pages: 0,
        runAt: new Date(0),
        createdAt: new Date(),
      },
      { peers, call: ctx, signal: ctx.signal },
      { withChanges: false },
    );
    try {
      return await preview(rows, { shape, columns, limit: Math.min(Math.max(request.limit, 1), MAX_ROWS) });
    } catch (error) {
      if (error instanceof ExpressionError) throw new AppError('validation', `shape: ${error.message}`);
      throw error;
    }
  };
}

async function preview(
  rows: SyncRows,
  of: { readonly shape: DestinationShape | undefined; readonly columns: readonly string[]; readonly limit: number },
): Promise<PreviewShapeResponse> {
  const shaper = new RowShaper(rows.columns, of);
  const unknown = of.columns.find((name) => !shaper.columns.some((column) => column.name === name));
  try {
    if (unknown !== undefined)
      throw invalid(
        ['columns'],
        `there is no column ${unknown}; the columns are ${shaper.columns.map(({ name }) => name).join(', ')}`,
      );
    const found: string[] = [];
    let read = 0;
    for await (const { rows: batch } of rows.read(0)) {
      read += batch.length;
      const output = await shaper.apply(batch.map(({ row }) => row));
      for (const { values } of output)
        found.push(JSON.stringify(Object.fromEntries(shaper.columns.map(({ name }) => [name, values[name] ?? null]))));
      if (found.length >= of.limit || read >= MAX_READ) break;
    }
    return {
      columns: shaper.columns.map(({ name, type }) => ({ name, type })),
      rowsJson: found.slice(0, of.limit),

      read,
      failed: shaper.failed,
      failures: shaper.failures.map(({ column, message }) => ({ column, message })),
    };
  } finally {
    await shaper.close();
  }
}
