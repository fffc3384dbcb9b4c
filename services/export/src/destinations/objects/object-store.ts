import type { Socket } from 'node:net';
import type { TcpTarget } from '@tidemark/egress';
import type { Values } from '../../domain/connection.ts';

/** Named objects of a bucket, container or directory. A written object is whole: readers never see a part of it. */
export interface ObjectStore {
  /** Values that were determined at sign-in and belong to the connection's config. */
  readonly learned?: Values;
  /** Writes an object, over an existing one. @throws DestinationError, FetchFailed */
  put(path: string, bytes: Uint8Array, signal: AbortSignal): Promise<void>;
  /** @returns undefined if there is none @throws DestinationError, FetchFailed */
  get(path: string, signal: AbortSignal): Promise<Uint8Array | undefined>;
  /** Does nothing if there is none. @throws DestinationError, FetchFailed */
  remove(path: string, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export interface SignIn {
  readonly signal: AbortSignal;
  /** Whether values that the connection lacks may be learned from the server: in a test only. */
  readonly mayLearn: boolean;
}

/** Access to one bucket, container or directory. */
export interface ObjectTarget {
  /** Name for the user with a slash at its end, without secrets: `s3://bucket/`. */
  readonly location: string;
  /** The server, which is dialled before `open`. */
  readonly server: TcpTarget;
  /** Signs in over a connected socket, where the protocol has sessions. @throws DestinationError */
  open(socket: Socket, how: SignIn): Promise<ObjectStore>;
}

/** Limits of one call, ms: small objects, and parts of some megabytes on a slow line. */
export const SMALL_MS = 30_000;
export const PART_MS = 300_000;
/** Largest object that is read back: a manifest. */
export const MAX_READ_BYTES = 8 * 1024 * 1024;
