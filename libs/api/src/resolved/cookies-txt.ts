import type { ExportedCookie } from '../schemas/login.ts';

const MAX_LINES = 10_000;
/** Prefix of a line with an HttpOnly cookie; any other # starts a comment. */
const HTTP_ONLY = '#HttpOnly_';

/** Parses a cookies.txt file as curl and browser extensions write it: https://curl.se/docs/http-cookies.html */
export function readCookiesTxt(text: string): { readonly cookies: readonly ExportedCookie[]; readonly fault?: string } {
  const lines = text.split(/\r?\n/);
  if (lines.length > MAX_LINES) return { cookies: [], fault: `expected at most ${MAX_LINES} lines` };
  const cookies: ExportedCookie[] = [];
  for (const [at, line] of lines.entries()) {
    const httpOnly = line.startsWith(HTTP_ONLY);
    if (line.trim() === '' || (line.startsWith('#') && !httpOnly)) continue;
    const [domain, subdomains, path, secure, expires, name, value = '', ...more] = line
      .slice(httpOnly ? HTTP_ONLY.length : 0)
      .split('\t');
    if (name === undefined || more.length > 0)
      return {
        cookies: [],
        fault: `line ${at + 1} is not a line of a cookies.txt: expected seven fields separated by tabs`,
      };
    const isTrue = (flag: string | undefined): boolean => flag?.toUpperCase() === 'TRUE';
    const ends = { domain, path, expires: Number(expires), hostOnly: !isTrue(subdomains) };
    cookies.push({ name, value, ...ends, secure: isTrue(secure), httpOnly });
  }
  return cookies.length === 0 ? { cookies, fault: 'the text contains no cookies' } : { cookies };
}
