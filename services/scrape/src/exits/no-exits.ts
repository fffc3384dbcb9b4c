import type { ExitPool } from '../capture/capture-deps.ts';

/** Exit pool of a deployment without exits. */
export const NO_EXITS: ExitPool & { hasCountry(country: string): boolean } = {
  isEmpty: true,
  hasCountry: () => false,
  lease: async () => undefined,
  report: () => undefined,
};
