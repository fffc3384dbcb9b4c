import type { Caller, Person } from '@tidemark/contracts';

/** Context sent with every call between services. */
export interface CallContext {
  /** Absent on calls that act for no workspace: authentication itself, operator calls, and a service's own calls. */
  readonly caller?: Caller;
  /** The signed-in person of a call that acts for no workspace. */
  readonly person?: Person;
  readonly requestId: string;
}

/** The verified context of a received call. */
export interface VerifiedCall extends CallContext {
  /** The calling service, the operator, or a named caller. */
  readonly service: string;
}
