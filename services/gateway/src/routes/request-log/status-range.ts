/** Statuses from `statusFrom`, and below `statusBelow`; 0: no limit. */
export interface StatusRange {
  readonly statusFrom: number;
  readonly statusBelow: number;
}

/** Returns the statuses that a filter selects. @param status such as `404`, `4xx` or `failed`; empty: all */
export function statusRange(status: string): StatusRange {
  if (status === '') return { statusFrom: 0, statusBelow: 0 };
  if (status === 'failed') return { statusFrom: 400, statusBelow: 0 };
  if (status.endsWith('xx')) {
    const statusFrom = Number(status[0]) * 100;
    return { statusFrom, statusBelow: statusFrom + 100 };
  }
  return { statusFrom: Number(status), statusBelow: Number(status) + 1 };
}
