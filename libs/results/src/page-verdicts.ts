/** The classification of a capture. */
export const VERDICTS = ['ok', 'thin', 'blocked', 'skipped', 'robots', 'cached'] as const;
/** Why a page was not read; `OK` for one that was. */
export const ERROR_CODES = [
  'OK',
  'SHELL',
  'BLOCKED',
  'NOT_FOUND',
  'RATE_LIMITED',
  'CAPTCHA',
  'LOGIN_REQUIRED',
  'GEO_RESTRICTED',
  'TIER_LIMIT',
  'BUDGET_EXHAUSTED',
  'TIMEOUT',
  'NETWORK',
] as const;

/** Meaning of each verdict; returned by GET /meta. */
export const VERDICT_MEANINGS: Readonly<Record<(typeof VERDICTS)[number], string>> = {
  ok: 'the page was read',
  thin: 'a short but real page, kept',
  blocked: 'refused, or a 404 or soft 404: see errorCode',
  skipped:
    'below the minimum of words or outside the language list: the row is stored but excluded from the change record',
  robots: 'robots.txt disallows the page; nothing was fetched',
  cached: 'returned from the archive',
};
