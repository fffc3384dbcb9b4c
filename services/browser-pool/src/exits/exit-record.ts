import { z } from 'zod';

export type ExitState = 'alive' | 'dead' | 'tampering';
export type Parity = 'ok' | 'differs' | 'unknown';
export type ExitOutcome = 'read' | 'refused' | 'failed';
/** Result of a page fetched through a dead exit; unknown: no page is configured. */
export type ProbeOutcome = 'ok' | 'failed' | 'unknown';

/** Weight of the latest outcome in the success rate. */
const OUTCOME_SHARE = 0.1;
/** Consecutive failures of the exit itself after which it is dead. */
const DEAD_AFTER = 3;
const FIRST_BACKOFF_MS = 30_000;
const MAX_BACKOFF_MS = 15 * 60_000;
/** Time after which an unfinished probe is repeated, ms. Must exceed the timeout of a probe. */
const PROBE_CLAIM_MS = 60_000;
/** Consecutive differing parity checks after which an exit counts as tampering. */
const TAMPERING_AFTER = 2;
const PARITY_EVERY_MS = 5 * 60_000;

/** Health of one exit, as it is stored. Times are milliseconds since 1970. */
export const ExitRecordShape = z.object({
  /** From 0 to 1; recent outcomes have the highest weight. */
  successRate: z.number(),
  failuresInARow: z.number(),
  backoffMs: z.number(),
  /** When a dead exit is probed; absent while it is alive. */
  probeAtMs: z.number().optional(),
  differsInARow: z.number(),
  parity: z.enum(['ok', 'differs', 'unknown']),
  parityAtMs: z.number().optional(),
  parityDueMs: z.number(),
  requests: z.number(),
  bytes: z.number(),
});
export type ExitRecord = Readonly<z.infer<typeof ExitRecordShape>>;

/** The record of an exit that has not been used yet. */
export const NEW_EXIT: ExitRecord = {
  successRate: 1,
  failuresInARow: 0,
  backoffMs: FIRST_BACKOFF_MS,
  differsInARow: 0,
  parity: 'unknown',
  parityDueMs: 0,
  requests: 0,
  bytes: 0,
};

export function stateOf(record: ExitRecord): ExitState {
  if (record.probeAtMs !== undefined) return 'dead';
  return record.differsInARow >= TAMPERING_AFTER ? 'tampering' : 'alive';
}

/** Whether its last attempt failed. */
export const hasRecentFailure = ({ failuresInARow }: ExitRecord): boolean => failuresInARow > 0;

/** Records the result of a page fetched through the exit. */
export function withOutcome(record: ExitRecord, outcome: ExitOutcome, bytes: number, nowMs: number): ExitRecord {
  const success = outcome === 'read' ? 1 : 0;
  const counted = {
    ...withBytes(record, bytes),
    requests: record.requests + 1,
    successRate: record.successRate + OUTCOME_SHARE * (success - record.successRate),
  };
  if (outcome === 'failed') return withFailure(counted, nowMs);
  // The exit works if the site refuses.
  return { ...counted, failuresInARow: 0, backoffMs: FIRST_BACKOFF_MS };
}

/** Records a failure of the exit itself. */
export function withFailure(record: ExitRecord, nowMs: number): ExitRecord {
  const failed = { ...record, failuresInARow: record.failuresInARow + 1 };
  if (failed.failuresInARow < DEAD_AFTER || failed.probeAtMs !== undefined) return failed;
  return scheduleProbe(failed, nowMs);
}

export const withBytes = (record: ExitRecord, bytes: number): ExitRecord => ({
  ...record,
  bytes: record.bytes + bytes,
});

/** Claims the probe of a dead exit for the caller; undefined if none is due. */
export function claimProbe(record: ExitRecord, nowMs: number): ExitRecord | undefined {
  if (record.probeAtMs === undefined || nowMs < record.probeAtMs) return undefined;
  return { ...record, probeAtMs: nowMs + PROBE_CLAIM_MS };
}

/** Records the result of a probe. No change if the exit is not dead. */
export function withProbe(record: ExitRecord, outcome: ProbeOutcome, nowMs: number): ExitRecord {
  if (record.probeAtMs === undefined) return record;
  if (outcome === 'failed') return scheduleProbe(record, nowMs);
  const { probeAtMs: _, ...alive } = record;
  // Without a page to probe, the next page is the probe: one failure makes the exit dead again.
  return { ...alive, failuresInARow: outcome === 'ok' ? 0 : DEAD_AFTER - 1 };
}

/** Claims the next parity check for the caller; undefined if none is due. */
export function claimParityCheck(record: ExitRecord, nowMs: number): ExitRecord | undefined {
  if (stateOf(record) === 'dead' || nowMs < record.parityDueMs) return undefined;
  return { ...record, parityDueMs: nowMs + PARITY_EVERY_MS };
}

/** Records the result of a parity check. */
export function withParity(record: ExitRecord, parity: Parity, nowMs: number): ExitRecord {
  const checked = { ...record, parityAtMs: nowMs };
  if (parity === 'unknown') return checked;
  return { ...checked, parity, differsInARow: parity === 'ok' ? 0 : record.differsInARow + 1 };
}

function scheduleProbe(record: ExitRecord, nowMs: number): ExitRecord {
  return {
    ...record,
    probeAtMs: nowMs + record.backoffMs,
    backoffMs: Math.min(MAX_BACKOFF_MS, record.backoffMs * 2),
  };
}
