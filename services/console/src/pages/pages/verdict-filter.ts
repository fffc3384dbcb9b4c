/** Outcomes that the list offers as a filter; '' is all. */
export const VERDICTS = ['', 'ok', 'thin', 'blocked'] as const;
type Verdict = (typeof VERDICTS)[number];

const TERM = /(^|\s)verdict:(\S*)/;

/** Returns the outcome that a query filters by, if it is one of those offered. */
export function verdictIn(query: string): Verdict {
  const value = TERM.exec(query)?.[2] ?? '';
  return VERDICTS.find((one) => one === value) ?? '';
}

/** Returns a query with another outcome; '' removes it. */
export function withVerdict(query: string, verdict: Verdict): string {
  const rest = query.replace(TERM, '').trim();
  return [rest, verdict === '' ? '' : `verdict:${verdict}`].filter((part) => part !== '').join(' ');
}
