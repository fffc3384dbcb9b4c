/** One promise of a service to its neighbours, held against the real one and against the fake that stands in for it. */
export interface Guarantee<T> {
  readonly title: string;
  readonly holds: (subject: T) => Promise<void>;
}
