import type { BoundMethod } from '@tidemark/service';

/** What a fake answers, and every other method of its face, which nobody is to ask: those are told to be unknown. */
export function withRest(
  face: Readonly<Record<string, { readonly path: string }>>,
  answered: BoundMethod[],
): BoundMethod[] {
  const paths = new Set(answered.map(({ path }) => path));
  const rest = Object.values(face).filter(({ path }) => !paths.has(path));
  return [...answered, ...rest.map(({ path }) => ({ path, bind: () => undefined }))];
}
