/** Status and headers of a response, which identify bot walls and retry delays. */
export interface ResponseHeaders {
  readonly httpStatus: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
}

/** Returns a header as one line in lower case; empty if absent. */
export function headerOf({ headers }: Pick<ResponseHeaders, 'headers'>, name: string): string {
  const value = headers[name];
  return (Array.isArray(value) ? value.join(', ') : (value ?? '')).slice(0, 8_000).toLowerCase();
}

/** Headers that mark a response as the wall's challenge. */
const CHALLENGES: readonly [wall: string, header: string, value: RegExp][] = [
  ['cloudflare challenge', 'cf-mitigated', /^challenge/],
  ['datadome', 'x-datadome', /^(?!protected$)./],
  ['datadome', 'x-dd-b', /./],
  ['aws waf', 'x-amzn-waf-action', /captcha|challenge/],
  ['kasada', 'x-kasada', /./],
  ['kasada', 'x-kpsdk-ct', /./],
  ['kasada', 'x-kpsdk-r', /./],
  ['vercel', 'x-vercel-mitigated', /challenge|deny/],
  ['vercel', 'x-vercel-challenge-token', /./],
];

/**
 * Cookies and servers that walls also use on ordinary responses. They identify the wall only together with a refusing
 * status.
 */
const COOKIES: readonly [wall: string, cookie: RegExp][] = [
  ['datadome', /^datadome=/],
  ['perimeterx', /^_?px(?:hd|vid|cts|\d)?=/],
  ['imperva', /^(?:incap_ses_|visid_incap_|nlbi_|reese84=)/],
  ['akamai', /^(?:ak_bmsc|_abck|bm_sz|bm_mi)=/],
  ['aws waf', /^aws-waf-token=/],
  ['kasada', /^kp_uidz/],
  ['reblaze', /^rbz(?:id|sessionid)=/],
  ['ddos-guard', /^__ddg\w*=/],
  ['fullstory', /^_fs_ch_st_/],
];
const SERVERS: readonly [wall: string, header: string, value: RegExp][] = [
  ['ddos-guard', 'server', /^ddos-guard/],
  ['akamai', 'server', /^akamaighost/],
  ['akamai', 'akamai-cache-status', /error from child/],
  ['sucuri', 'server', /^sucuri/],
  ['sucuri', 'x-sucuri-block', /./],
  ['qrator', 'server', /^qrator/],
  ['imperva', 'x-iinfo', /./],
  ['cloudfront', 'x-cache', /^error from cloudfront/],
  ['cloudflare', 'server', /^cloudflare/],
];

const matched = (input: ResponseHeaders, rules: readonly [string, string, RegExp][]): string | undefined =>
  rules.find(([, header, value]) => value.test(headerOf(input, header)))?.[0];

/** Returns the wall whose challenge the response is, by its headers. */
export const challengeHeaderOf = (input: ResponseHeaders): string | undefined => matched(input, CHALLENGES);

/** Returns the wall that set cookies or names itself as server. Does not imply a refusal. */
export function wallHeaderOf(input: ResponseHeaders): string | undefined {
  const set = input.headers['set-cookie'];
  const cookies = (Array.isArray(set) ? set : (set ?? '').split(/,(?=\s*[\w-]+=)/)).slice(0, 100);
  for (const cookie of cookies) {
    const start = cookie.trim().slice(0, 100).toLowerCase();
    const wall = COOKIES.find(([, pattern]) => pattern.test(start))?.[0];
    if (wall !== undefined) return wall;
  }
  return matched(input, SERVERS);
}
