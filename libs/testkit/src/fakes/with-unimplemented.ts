import type { BoundMethod } from '@tidemark/service';

/** Completes the methods of a fake with the other methods of its gRPC service, which fail as unimplemented. */
export function withUnimplemented(
  service: Readonly<Record<string, { readonly path: string }>>,
  answered: BoundMethod[],
): BoundMethod[] {
  const paths = new Set(answered.map(({ path }) => path));
  const rest = Object.values(service).filter(({ path }) => !paths.has(path));
  return [...answered, ...rest.map(({ path }) => ({ path, bind: () => undefined }))];
}
