const NAMES: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera' };

/** Returns a short name of a browser; other programs by their first word. */
export function programOf(userAgent: string): string {
  const [, browser] = /(Firefox|Edg|OPR|Chrome|Safari)\//.exec(userAgent) ?? [];
  const [, system] = /(Windows|Mac OS X|Android|iPhone|iPad|Linux)/.exec(userAgent) ?? [];
  if (browser === undefined) return userAgent.split('/')[0]?.slice(0, 40) || 'Unknown program';
  return NAMES[browser] ?? browser + (system === undefined ? '' : ` on ${system}`);
}
