/** One case of a service's contract, run against the real service and against its fake. */
export interface Guarantee<T> {
  readonly title: string;
  readonly holds: (subject: T) => Promise<void>;
}
