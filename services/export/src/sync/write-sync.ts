import { onOwnBehalf } from '@tidemark/contracts';
import { DESTINATION_FORMATS } from '@tidemark/datasets';
import type { DialTcp } from '@tidemark/egress';
import type { ConnectionService } from '../connection-service.ts';
import type { DriverKind, SyncAttempt, SyncOutcome, SyncPlan, SyncSource } from '../destinations/driver.ts';
import type { Destination } from '../domain/destination.ts';
import type { RunRecord, Sync } from '../domain/sync.ts';
import type { SourceContext } from '../download/peers.ts';
import { RowShaper } from '../shapes/shape-rows.ts';
import { RowLimits } from './row-limits.ts';
import { openSyncRows, type SyncRows } from './sync-rows.ts';
import { FILE_LIMITS, TABLE_LIMITS, Watchdog } from './watchdog.ts';

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
export type WriteSync = (job: WriteJob) => Promise<SyncOutcome>;

export function makeWriteSync({ connections, kindOf, diallerOf }: WriteDeps): WriteSync {
  return async (job) => {
    const { sync, destination, record } = job;
    const caller = onOwnBehalf('export', sync.workspaceId);
    const { provider, config, secrets } = await connections.open(caller, destination.connectionId ?? '');
    job.onSecrets(Object.values(secrets));
    const kind = kindOf(provider.kind);
    if (kind === undefined) throw new Error(`the provider ${provider.id} has the unknown kind ${provider.kind}`);
    const driver = kind.open({ config, secrets }, diallerOf(kind));
    using stack = new DisposableStack();
    const watchdog = stack.adopt(new Watchdog(kind.stores === 'table' ? TABLE_LIMITS : FILE_LIMITS), (it) =>
      it.close(),
    );
    const attempt = watched(job.attempt, watchdog);
    const context = { ...job.context, signal: attempt.signal };
    const rows = await openSyncRows(sync, context, { withChanges: true });
    const shaper = new RowShaper(rows.columns, destination);
    try {
      const plan = toPlan(sync, destination, { columns: shaper.columns, isWholeSite: record.isWholeSite });
      const limits = new RowLimits(shaper.columns, kind.maxCellBytes);
      const outcome = await driver.write(plan, toSource(rows, { shaper, limits, watchdog }), attempt);
      const warnings = [
        ...shaper.warnings,
        ...warningsOf(record, shaper),
        ...outcome.warnings,
        ...reasonsOf(outcome, limits),
      ];
      return { ...outcome, read: outcome.read + outcome.skipped, warnings };
    } finally {
      await shaper.close();
    }
  };
}

function toPlan(
  sync: Sync,
  destination: Destination,
  { columns, isWholeSite }: Pick<SyncPlan, 'columns' | 'isWholeSite'>,
): SyncPlan {
  const { path, format, compression, table } = destination;
  return {
    syncId: sync.id,
    projectId: sync.projectId,
    dataset: sync.dataset,
    runId: sync.sourceId,
    runAt: sync.runAt,

    table,
    mode: destination.mode,
    columns,
    isFullRun: sync.isFullRun,
    freeze: destination.freeze,
    isWholeSite: sync.isFullRun && isWholeSite,
    files: {
      path,
      format: DESTINATION_FORMATS.find((known) => known === format) ?? 'jsonl',
      compression: compression === 'gzip' || compression === 'zstd' ? compression : 'none',
    },
  };
}

/** Returns the attempt, aborted by the watchdog too. */
const watched = (attempt: SyncAttempt, watchdog: Watchdog): SyncAttempt => ({
  parts: attempt.parts,
  signal: AbortSignal.any([attempt.signal, watchdog.signal]),
  recordPart: (part) => attempt.recordPart(part),
  reportProgress: (rowsRead) => {
    watchdog.progress();
    attempt.reportProgress(rowsRead);
  },
});

interface Conversion {
  readonly shaper: RowShaper;
  readonly limits: RowLimits;
  readonly watchdog: Watchdog;
}

const toSource = (rows: SyncRows, { shaper, limits, watchdog }: Conversion): SyncSource => ({
  async *read(after) {
    watchdog.enter('source');
    for await (const { rows: batch, last } of rows.read(after)) {
      const output = await shaper.apply(batch.map(({ row }) => row));
      const found = output.flatMap(({ index, values }) => {
        const source = batch[index];
        if (source === undefined) return [];
        const { key, crawledAt, change } = source;
        return [{ values, key, crawledAt, change }];
      });
      const storable = limits.apply({ rows: found, last });
      watchdog.enter('accept');
      yield storable;
      watchdog.enter('source');
    }
    limits.requireFew();
    watchdog.enter('finish');
  },
});

/** Rows that an earlier attempt left out were not read again. */
function reasonsOf({ skipped }: SyncOutcome, limits: RowLimits): string[] {
  const earlier = skipped - limits.skipped;
  if (earlier <= 0) return limits.reasons;
  return [...limits.reasons, `${earlier} rows were left out by an earlier attempt, whose reasons are not kept`];
}

function warningsOf({ warning }: RunRecord, { failed, failures }: RowShaper): string[] {
  const [first] = failures;
  const cell = first?.column === undefined ? 'the condition' : `the column ${first.column}`;
  return [
    ...(warning === undefined ? [] : [warning]),
    ...(first === undefined ? [] : [`${failed} cells could not be computed; first ${cell}: ${first.message}`]),
  ];
}
