/**
 * Why a task has no result: it threw (`error`); it exceeded its time limit (`time`) or the memory of its thread
 * (`memory`); its thread ended (`exit`) or did not start (`start`); it was not started before its `dropSignal` was
 * aborted (`dropped`); too many tasks were queued (`full`); the pool was closed (`closed`).
 */
export type FailureKind = 'error' | 'time' | 'memory' | 'exit' | 'start' | 'dropped' | 'full' | 'closed';

/** A task of a worker thread that has no result. */
export class ThreadFailure extends Error {
  override readonly name = 'ThreadFailure';
  readonly kind: FailureKind;

  constructor(kind: FailureKind, message: string) {
    super(message);
    this.kind = kind;
  }
}
