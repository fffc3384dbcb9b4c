export { assumeHttps } from './assume-https.ts';
export { normalizeUrl, urlKey } from './normalize-url.ts';
export { isOpaqueToken, withoutOpaqueTokens } from './opaque-token.ts';
export { pageKeys } from './page-keys.ts';
export { MAX_URL_CHARS, type ParsedWebUrl, parseWebUrl } from './parse-web-url.ts';
export { retryAfterSeconds } from './retry-after.ts';
export { sameSite, siteOf } from './site.ts';
export { isTrackingParameter } from './tracking-parameters.ts';
