import type { KnownPage } from '../domain/foresight.ts';
import type { Run } from '../domain/run.ts';
import type { KnownStore } from '../store/known-store.ts';

/** Addresses judged for one question at most. */
export const ADDRESSES_MOST = 200_000;
/** Milliseconds a walk over what is known may take. */
const WALK_MS = 15_000;

/** Visits what a run knows, for as many addresses and as long as one question may take. @returns whether some were left out */
export async function walkKnown(
  known: Pick<KnownStore, 'pieces'>,
  run: Run,
  visit: (page: KnownPage) => void,
  bounds: { readonly addresses: number; readonly ms: number } = { addresses: ADDRESSES_MOST, ms: WALK_MS },
): Promise<boolean> {
  const until = performance.now() + bounds.ms;
  let left = bounds.addresses;
  for await (const piece of known.pieces(run.no)) {
    if (left === 0 || performance.now() > until) return true;
    const some = piece.slice(0, left);
    for (const page of some) visit(page);
    left -= some.length;
    if (some.length < piece.length) return true;
  }
  return false;
}

/** Credits so many pages would cost, by what those of a run cost on average; a credit each where there is none to go by. */
export function creditsOf(pages: number, run: Pick<Run, 'credits' | 'done'> | undefined): number {
  const each = run === undefined || run.done === 0 ? 1 : run.credits / run.done;
  return Math.ceil(pages * each);
}
