import { words } from '../../words/words.ts';

const BROWSERS: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera' };

/** Returns a short name of a browser from its user agent; other programs by their first word. */
export function programName(userAgent: string): string {
  const [, browser] = /(Firefox|Edg|OPR|Chrome|Safari)\//.exec(userAgent) ?? [];
  const [, system] = /(Windows|Mac OS X|Android|iPhone|iPad|Linux)/.exec(userAgent) ?? [];
  const { sessions } = words.account;
  if (browser === undefined) return userAgent.split('/')[0]?.slice(0, 40) || sessions.unknown;
  const name = BROWSERS[browser] ?? browser;
  return system === undefined ? name : sessions.on(name, system);
}
