import type { ExitPool } from '../capture-deps.ts';

/** A deployment without exits. */
export const NO_EXITS: ExitPool & { hasCountry(country: string): boolean; view(): never[] } = {
  isEmpty: true,
  hasCountry: () => false,
  pick: () => undefined,
  report: () => undefined,
  view: () => [],
};
