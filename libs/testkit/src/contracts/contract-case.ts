/** One case of a service's contract, run against the real service and against its fake. */
export interface ContractCase<T> {
  readonly title: string;
  readonly run: (subject: T) => Promise<void>;
}
