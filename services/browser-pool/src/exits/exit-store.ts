import { z } from 'zod';
import { type ExitRecord, ExitRecordShape } from './exit-record.ts';
import { type HostRecord, HostRecordShape } from './host-record.ts';

/** The exit of a session, and when it was last used. */
const SessionRecordShape = z.object({ exit: z.string(), usedAtMs: z.number() });

/** A stored lease: the token as a hash, the exit by name. */
const LeaseRecordShape = z.object({
  exit: z.string(),
  workspaceId: z.string(),
  host: z.string(),
  /** SHA-256, base64. */
  tokenHash: z.string(),
  expiresAtMs: z.number(),
});

export type SessionRecord = Readonly<z.infer<typeof SessionRecordShape>>;
export type LeaseRecord = Readonly<z.infer<typeof LeaseRecordShape>>;

/** Stored records by kind. Keys: the exit's name, the host, the session's key, the lease's id. */
export interface Records {
  readonly exit: ExitRecord;
  readonly host: HostRecord;
  readonly session: SessionRecord;
  readonly lease: LeaseRecord;
}
export type Kind = keyof Records;

export const SHAPES: { readonly [K in Kind]: z.ZodType<Records[K]> } = {
  exit: ExitRecordShape,
  host: HostRecordShape,
  session: SessionRecordShape,
  lease: LeaseRecordShape,
};

/** Time to live of a record after its last change, ms. */
export const TTL_MS: Readonly<Record<Kind, number>> = {
  exit: 7 * 24 * 60 * 60_000,
  host: 24 * 60 * 60_000,
  session: 30 * 60_000,
  lease: 5 * 60_000,
};

/** Maximum number of hosts that `recentHosts` returns. */
export const RECENT_HOSTS = 1_000;

/**
 * The state of the exits. If it is lost, every exit counts as healthy and leases end. No method rejects.
 */
export interface ExitStore {
  /** Returns one entry for each key, in order. */
  read<K extends Kind>(kind: K, keys: readonly string[]): Promise<readonly (Records[K] | undefined)[]>;
  /**
   * Replaces a record atomically. `change` may run several times; undefined leaves the record as it is.
   * @returns the written record; undefined if `change` returned undefined
   */
  update<K extends Kind>(kind: K, key: string, change: Change<Records[K]>): Promise<Records[K] | undefined>;
  /** Writes a record under a key that no other caller uses. */
  put<K extends Kind>(kind: K, key: string, record: Records[K]): Promise<void>;
  remove(kind: Kind, key: string): Promise<void>;
  /** Returns the most recently changed host records. */
  recentHosts(): Promise<ReadonlyMap<string, HostRecord>>;
}

export type Change<T> = (current: T | undefined) => T | undefined;
