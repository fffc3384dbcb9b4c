/** What an answer's headers tell of who answered: bot walls by their own names, and how long to stay away. */
export interface AnswerHeaders {
  readonly httpStatus: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
}

/** One header as one line, lower case, empty where there is none. */
export function headerOf({ headers }: Pick<AnswerHeaders, 'headers'>, name: string): string {
  const value = headers[name];
  return (Array.isArray(value) ? value.join(', ') : (value ?? '')).slice(0, 8_000).toLowerCase();
}

/** Headers by which a wall says that this answer is its challenge. */
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

/** Marks of a wall that are on its ordinary answers too, so that they name it only beside a refusing status. */
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

const matched = (input: AnswerHeaders, rules: readonly [string, string, RegExp][]): string | undefined =>
  rules.find(([, header, value]) => value.test(headerOf(input, header)))?.[0];

/** The wall whose challenge this answer says it is. */
export const challengeHeaderOf = (input: AnswerHeaders): string | undefined => matched(input, CHALLENGES);

/** The wall that set cookies with this answer, or names itself its server. Says nothing of a refusal by itself. */
export function wallHeaderOf(input: AnswerHeaders): string | undefined {
  const set = input.headers['set-cookie'];
  const cookies = (Array.isArray(set) ? set : (set ?? '').split(/,(?=\s*[\w-]+=)/)).slice(0, 100);
  for (const cookie of cookies) {
    const start = cookie.trim().slice(0, 100).toLowerCase();
    const wall = COOKIES.find(([, pattern]) => pattern.test(start))?.[0];
    if (wall !== undefined) return wall;
  }
  return matched(input, SERVERS);
}

/** Seconds a site asks to stay away for, RFC 9110 10.2.3; a date counts from the answer's own. At most a day. */
export function retryAfterSeconds(input: Pick<AnswerHeaders, 'headers'>): number | undefined {
  const told = headerOf(input, 'retry-after').trim();
  if (told === '') return undefined;
  const seconds = /^\d{1,9}$/.test(told)
    ? Number(told)
    : (Date.parse(told) - Date.parse(headerOf(input, 'date'))) / 1_000;
  return Number.isFinite(seconds) ? Math.min(Math.max(Math.ceil(seconds), 0), 86_400) : undefined;
}
