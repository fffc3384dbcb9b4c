import { isOpaqueToken, isTrackingParameter } from '@tidemark/web-url';
import { LONG_VALUE_CHARS, MIN_GENERATED_CHARS, MIXED_VALUE_CHARS } from './thresholds.ts';

/** Further parameters of campaigns and of clicks. In the URL of a page they may select it; in the target of a link they hide no change. */
const LIKELY_TRACKING = /^(?:spm|scid|cmpid|trk|trkinfo|click_?id|\w{1,4}clid)$/i;
/** Parameters of sessions and of forms. */
const SESSION =
  /^(?:[jp]?hp?sess(?:ion)?_?id|jsessionid|phpsessid|aspsessionid\w*|asp\.net_sessionid|sess(?:ion)?(?:[_-]?(?:id|key|token))?|sid|s_id|cfid|cftoken|oscsid|zenid|nonce|csrf\w*|xsrf\w*|_token|__requestverificationtoken|authenticity_token|code_(?:challenge|verifier))$/i;
/** Parameters that only avoid a cached copy. */
const CACHE = /^(?:_|cb|rnd|rand|random|nocache|no_cache|cachebust(?:er)?|cache_?key|timestamp)$/i;
/**
 * Signed URLs: AWS Signature Version 4, Google Cloud Storage, Alibaba, Tencent and Huawei storage, CloudFront, Akamai;
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
 */
const SIGNED =
  /^(?:x-(?:amz|goog|oss|cos|obs|ms)-[\w-]+|signature|sig|hmac|key-pair-id|awsaccesskeyid|googleaccessid|ossaccesskeyid|q-sign\S*|q-ak|hdn[ae]?[a-z]{1,2}|__token__|__gda__|__cld_token__)$/i;
/** Validity of a signed URL. Part of the signature only together with one. */
const WITH_SIGNATURE = /^(?:expires|expiry|exp|e|policy|st|se|sp|sr|sv|spr|sip|ss|srt|sdd|sk\w{1,3}|ts|t)$/i;
/** Names of values that a server may generate: dropped if the value looks generated. */
const TOKEN_NAMED =
  /^(?:(?:access|auth|id|login|refresh|user|view|page|download)?[_-]?token|auth(?:_?key)?|jwt|ticket|state|sign|hash|expires|expiry|exp|ts?|time|v|ver|version|rev|build|h|r|(?:request|req|visit(?:or)?|trace|correlation|impression|transaction|device|anonymous|tracking)[_-]?id|traceparent)$/i;
/** Names of values that select a page or a file. Their values are kept, random or not. */
const SELECTING =
  /(?:^|[_.-])(?:ids?|uuid|guid|slug|doc|document|file|item|article|post|page|p|video|v|list|playlist|product|sku|isbn|asin|node|entry|thread|topic|user|channel|key|[a-z]id)$|(?:[a-z]I[dD]s?|U?UID)$/;
const PATH_OF_FILE = /\.(?!html?$|php$|aspx?$|jsp$)[a-z]\w{1,4}$/i;
/** Seconds or milliseconds since 1970, from 2001 to 2065. */
const EPOCH = /^[12]\d{9}(?:\d{3})?(?:\.\d+)?$/;

/** Removes the parameters that servers write differently per visitor, visit or build. Keeps those that select another page. */
export function withoutVisitorParameters(pairs: readonly string[], path: string): string[] {
  const isSigned = pairs.some((pair) => SIGNED.test(nameOf(pair)));
  return pairs.filter((pair) => {
    const name = nameOf(pair);
    if (isTrackingParameter(name) || LIKELY_TRACKING.test(name)) return false;
    if (SESSION.test(name) || CACHE.test(name) || SIGNED.test(name)) return false;
    if (isSigned && WITH_SIGNATURE.test(name)) return false;
    return !isGenerated(name, pair.slice(name.length + 1), path);
  });
}

/** Returns the name of a `name=value` pair. */
export function nameOf(pair: string): string {
  const equals = pair.indexOf('=');
  return equals === -1 ? pair : pair.slice(0, equals);
}

function isGenerated(name: string, value: string, path: string): boolean {
  if (value.length < MIN_GENERATED_CHARS) return /^v(?:er(?:sion)?)?$/i.test(name) && PATH_OF_FILE.test(path);
  if (TOKEN_NAMED.test(name) && (EPOCH.test(value) || (isTokenLike(value) && !/^v$/i.test(name)))) return true;
  return !SELECTING.test(name) && isOpaqueToken(value);
}

/** Weaker than `isOpaqueToken`, for names that announce a token: letters and digits mixed, or a long word. */
const isTokenLike = (value: string): boolean =>
  /^[\w.~%+/=-]+$/.test(value) &&
  ((/\d/.test(value) && /[a-z]/i.test(value)) ||
    value.length >= LONG_VALUE_CHARS ||
    (value.length >= MIXED_VALUE_CHARS && /[a-z][A-Z]/.test(value)));
