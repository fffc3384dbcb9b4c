type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

const MAX_SECONDS = 86_400;

/**
 * Returns the seconds of Retry-After, at most a day (RFC 9110 10.2.3); undefined: none, or unreadable. A date is relative
 * to the Date header, or to now without one.
 */
export function retryAfterSeconds(headers: Headers): number | undefined {
  const value = textOf(headers['retry-after']);
  if (value === '') return undefined;
  const sentAtMs = Date.parse(textOf(headers['date']));
  const seconds = /^\d{1,9}$/.test(value)
    ? Number(value)
    : (Date.parse(value) - (Number.isNaN(sentAtMs) ? Date.now() : sentAtMs)) / 1_000;
  return Number.isFinite(seconds) ? Math.min(Math.max(Math.ceil(seconds), 0), MAX_SECONDS) : undefined;
}

const textOf = (value: string | readonly string[] | undefined): string =>
  (typeof value === 'string' ? value : (value?.[0] ?? '')).trim();
