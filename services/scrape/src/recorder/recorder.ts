/** A recorder: a live page that a member or key has open for a project. */
export interface Recorder {
  readonly id: string;
  readonly workspaceId: string;
  /** The member or key that opened it, and the only one that reaches it. */
  readonly actorId: string;
  readonly projectId: string;
  readonly startUrl: string;
  /** Price, charged when it was opened. */
  readonly credits: number;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** A recorder whose page is open, with the address of the instance of browser-pool that has it. */
export interface OpenedRecorder extends Recorder {
  readonly address: string;
}

/** Lifetime of a recorder, ms. */
export const RECORDER_MS = 5 * 60_000;
/** Time in which its page must have been opened, ms; a process that died while it did so blocks its member for no longer. */
export const OPENING_MS = 60_000;
