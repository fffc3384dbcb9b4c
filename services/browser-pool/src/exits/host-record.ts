import { z } from 'zod';
import type { ExitOutcome } from './exit-record.ts';

/** Refusals of one host, with a half-life of an hour, from which an exit is burned for it: three recent ones. */
const BURNED_FROM = 2.5;
const BURNED_MS = 60 * 60_000;
/** Age from which a refusal counts less than a thousandth, ms. */
const OLD_MS = 10 * BURNED_MS;

/** State of one host: the exit that last read it, and the exits that it refused. Times are milliseconds since 1970. */
export const HostRecordShape = z.object({
  adopted: z.string().optional(),
  refusals: z.record(
    z.string(),
    z.object({ refusals: z.number(), refusedAtMs: z.number(), burnedUntilMs: z.number() }),
  ),
});
export type HostRecord = Readonly<z.infer<typeof HostRecordShape>>;

export const NEW_HOST: HostRecord = { refusals: {} };

/** Whether the exit is currently not used for the host. */
export function isBurned({ refusals }: HostRecord, exit: string, nowMs: number): boolean {
  const record = Object.hasOwn(refusals, exit) ? refusals[exit] : undefined;
  return record !== undefined && nowMs < record.burnedUntilMs;
}

/** Records the result of a page of the host fetched through the exit; undefined if nothing changes. */
export function withHostOutcome(
  host: HostRecord,
  exit: string,
  outcome: ExitOutcome,
  nowMs: number,
): HostRecord | undefined {
  const { [exit]: refused, ...others } = host.refusals;
  if (outcome === 'read') {
    const isKnown = host.adopted === exit && refused === undefined;
    return isKnown ? undefined : { adopted: exit, refusals: others };
  }
  const { adopted: _, ...unadopted } = host;
  const left = host.adopted === exit ? unadopted : host;
  if (outcome === 'failed') return left === host ? undefined : left;
  const before = refused ?? { refusals: 0, refusedAtMs: nowMs, burnedUntilMs: nowMs };
  const refusals = 1 + before.refusals * 0.5 ** ((nowMs - before.refusedAtMs) / BURNED_MS);
  const burnedUntilMs = refusals >= BURNED_FROM ? nowMs + BURNED_MS : before.burnedUntilMs;
  const recent = Object.entries(others).filter(([, { refusedAtMs }]) => nowMs - refusedAtMs < OLD_MS);
  return {
    ...left,
    refusals: { ...Object.fromEntries(recent), [exit]: { refusals, refusedAtMs: nowMs, burnedUntilMs } },
  };
}
