/** Statuses from `statusFrom`, and below `statusBelow`; undefined: no limit. */
export interface StatusRange {
  readonly statusFrom?: number;
  readonly statusBelow?: number;
}

/** Returns the statuses that a filter selects. @param status such as `404`, `4xx` or `failed`; undefined: all */
export function statusRange(status: string | undefined): StatusRange {
  if (status === undefined) return {};
  if (status === 'failed') return { statusFrom: 400 };
  if (status.endsWith('xx')) {
    const statusFrom = Number(status[0]) * 100;
    return { statusFrom, statusBelow: statusFrom + 100 };
  }
  return { statusFrom: Number(status), statusBelow: Number(status) + 1 };
}
