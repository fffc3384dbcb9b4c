const BROWSERS: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera' };

/** Returns a short name of a browser from its user agent, as the console does; other programs by their first word. */
export function programOf(userAgent: string): string {
  const [, browser] = /(Firefox|Edg|OPR|Chrome|Safari)\//.exec(userAgent) ?? [];
  const [, system] = /(Windows|Mac OS X|Android|iPhone|iPad|Linux)/.exec(userAgent) ?? [];
  if (browser === undefined) return userAgent.split('/')[0]?.slice(0, 40) || 'Unknown program';
  const name = BROWSERS[browser] ?? browser;
  return system === undefined ? name : `${name} on ${system}`;
}
