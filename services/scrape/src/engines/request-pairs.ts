import type { FetchOrder } from '../domain/ports.ts';
import { isValidCookie, liveCookies, toCookieValue } from './login-cookies.ts';

interface NameAndValue {
  readonly name: string;
  readonly value: string;
}

/** Returns the entries of an object. */
export const toPairs = (values: Readonly<Record<string, string>>): NameAndValue[] =>
  Object.entries(values).map(([name, value]) => ({ name, value }));

/** Cookies of the login keep their attributes; the caller's are for the host of the page only and override equal names. */
export function cookiesOf({
  options,
  login,
}: Pick<FetchOrder, 'login'> & { readonly options: Pick<FetchOrder['options'], 'cookies'> }): {
  cookies: NameAndValue[];
  rejected: string[];
} {
  const requested = toPairs(options.cookies);
  const rejected = requested.filter(({ name, value }) => !isValidCookie(name, value));
  const loginCookies = login === undefined ? [] : liveCookies(login.cookies, new Date());
  return {
    cookies: [
      ...loginCookies.map((cookie) => ({ name: cookie.name, value: toCookieValue(cookie) })),
      ...requested.filter((cookie) => !rejected.includes(cookie)),
    ],
    rejected: rejected.map(({ name }) => name),
  };
}
