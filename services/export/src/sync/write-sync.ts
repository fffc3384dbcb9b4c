import type { DialTcp } from '@tidemark/egress';
import type { ConnectionService } from '../connection-service.ts';
import {
  type DriverKind,
  FILE_FORMATS,
  type SyncAttempt,
  type SyncOutcome,
  type SyncPlan,
  type SyncSource,
} from '../destinations/driver.ts';
import type { Destination } from '../domain/destination.ts';
import type { Sync } from '../domain/sync.ts';
import type { SourceContext } from '../download/peers.ts';
import { RowShaper } from '../shapes/shape-rows.ts';
import type { RunRecord } from './run-record.ts';
import { openSyncRows, type SyncRows } from './sync-rows.ts';

export interface WriteDeps {
  readonly connections: Pick<ConnectionService, 'open'>;
  readonly kindOf: (kind: string) => DriverKind | undefined;
  readonly diallerOf: (kind: DriverKind) => DialTcp;
}

/** One attempt to write a sync. */
export interface WriteJob {
  readonly sync: Sync;
  readonly destination: Destination;
  readonly record: RunRecord;
  readonly attempt: SyncAttempt;
  readonly context: SourceContext;
  /** Receives the secrets of the connection before they are used, for the redaction of failures. */
  readonly onSecrets: (secrets: readonly string[]) => void;
}

/** Writes the rows of a sync to its destination. @throws DestinationError, EgressRefused, FetchFailed, ExpressionError, AppError */
export async function writeSync(deps: WriteDeps, job: WriteJob): Promise<SyncOutcome> {
  const { sync, destination, record, attempt, context } = job;
  const caller = { workspaceId: sync.workspaceId, keyId: '', scope: 'admin', projects: [] } as const;
  const { provider, config, secrets } = await deps.connections.open(caller, destination.connectionId ?? '');
  job.onSecrets(Object.values(secrets));
  const kind = deps.kindOf(provider.kind);
  if (kind === undefined) throw new Error(`the provider ${provider.id} has the unknown kind ${provider.kind}`);
  const driver = kind.open({ config, secrets }, deps.diallerOf(kind));
  const rows = await openSyncRows(sync, context);
  const shaper = new RowShaper(rows.columns, destination);
  try {
    const plan = toPlan(sync, destination, { columns: shaper.columns, isWholeSite: record.isWholeSite });
    const outcome = await driver.write(plan, toSource(rows, shaper), attempt);
    return { ...outcome, warnings: [...shaper.warnings, ...warningsOf(record, shaper), ...outcome.warnings] };
  } finally {
    await shaper.close();
  }
}

function toPlan(
  sync: Sync,
  destination: Destination,
  { columns, isWholeSite }: Pick<SyncPlan, 'columns' | 'isWholeSite'>,
): SyncPlan {
  const { path, format, compression, table } = destination;
  return {
    ...{ syncId: sync.id, projectId: sync.projectId, dataset: sync.dataset, runId: sync.sourceId, runAt: sync.runAt },
    ...{
      table,
      mode: destination.mode,
      columns,
      isFullRun: sync.isFullRun,
      isWholeSite: sync.isFullRun && isWholeSite,
    },
    files: {
      path,
      format: FILE_FORMATS.find((known) => known === format) ?? 'jsonl',
      compression: compression === 'gzip' || compression === 'zstd' ? compression : 'none',
    },
  };
}

const toSource = (rows: SyncRows, shaper: RowShaper): SyncSource => ({
  async *read(after) {
    for await (const { rows: batch, last } of rows.read(after)) {
      const output = await shaper.apply(batch.map(({ row }) => row));
      yield {
        rows: output.flatMap(({ index, values }) => {
          const source = batch[index];
          return source === undefined ? [] : [{ values, key: source.key, crawledAt: source.crawledAt }];
        }),
        last,
      };
    }
  },
});

function warningsOf({ warning }: RunRecord, { failed, failures }: RowShaper): string[] {
  const [first] = failures;
  const cell = first?.column === undefined ? 'the condition' : `the column ${first.column}`;
  return [
    ...(warning === undefined ? [] : [warning]),
    ...(first === undefined ? [] : [`${failed} cells could not be computed; first ${cell}: ${first.message}`]),
  ];
}
