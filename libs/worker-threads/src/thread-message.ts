/** A task as it is sent to a thread. */
export interface PostedRequest<Request> {
  readonly id: number;
  readonly request: Request;
}

/** A message of a thread. `cpuMs`: its CPU time since its start, ms. */
export type ThreadMessage<Result, Interim> =
  | { readonly kind: 'ready'; readonly cpuMs: number }
  | { readonly kind: 'interim'; readonly id: number; readonly interim: Interim }
  | { readonly kind: 'result'; readonly id: number; readonly result: Result; readonly cpuMs: number }
  | { readonly kind: 'error'; readonly id: number; readonly message: string; readonly cpuMs: number };
