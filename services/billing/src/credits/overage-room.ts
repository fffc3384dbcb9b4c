import type { Plan } from '@tidemark/catalogue';

/** The overage cap of a workspace that set none: as many credits again as its allowance. */
export const DEFAULT_OVERAGE_CAP = 1;

/**
 * Returns the credits that a workspace may use beyond its allowance in a period; null: no limit.
 * @param cap multiple of the allowance; 0: no cap
 * @param isPastDue true while a renewal is unpaid: no overage until it is paid
 */
export function overageRoom(
  { allowance, overagePer1000 }: Pick<Plan, 'allowance' | 'overagePer1000'>,
  cap: number,
  isPastDue: boolean,
): number | null {
  if (allowance === null) return null;
  if (isPastDue || Object.keys(overagePer1000).length === 0) return 0;
  return cap === 0 ? null : Math.floor(cap * allowance);
}
