import { built } from './built.ts';
import { ACCOUNT_PAGE_NAMES, type ConsentPageName, type Home } from './page-names.ts';

export { type ConsentPageName, HOMES, type Home } from './page-names.ts';

/** The frame that shows a stored page: its script, which runs inline by its hash, and its style. */
export const storedPage = {
  script: built('stored-page.js'),
  style: built('stored-page.css'),
} as const;

/** The frame that shows a page with its changes in place, as the frame of a stored page. */
export const comparedPage = {
  script: built('compared-page.js'),
  style: built('compared-page.css'),
} as const;

/** The script and the style of all pages of accounts. */
export const accountFiles = {
  script: built('accounts.js'),
  style: built('accounts.css'),
} as const;

/** The documents of the pages of accounts. */
export interface AccountPages {
  /** By the last part of their path below /auth. */
  readonly byName: ReadonlyMap<string, string>;
  /** The response to a URL below /auth that has no page. */
  readonly missing: string;
}

/** Reads the pages of accounts that lead to this home page after a sign-in. */
export function accountPages(home: Home): AccountPages {
  const read = (name: string): string => built(`accounts/${home}/${name}.html`);
  return { byName: new Map(ACCOUNT_PAGE_NAMES.map((name) => [name, read(name)])), missing: read('missing') };
}

/** Reads a page of an authorization request. */
export const consentPage = (name: ConsentPageName): string => built(`consent/${name}.html`);
