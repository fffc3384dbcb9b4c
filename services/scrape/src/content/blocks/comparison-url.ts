import { normalizeUrl } from '@tidemark/web-url';

/** Parameters of campaigns and parameters of sessions. Neither selects another page. */
const TRACKING =
  /^(?:utm_\w+|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|mc_[ce]id|_ga|_gl|yclid|ysclid|igshid|igsh|twclid|ttclid|li_fat_id|ref_src|mkt_tok|_hs(?:enc|mi)|vero_id|oly_(?:anon|enc)_id|spm|scid|cmpid|trk|trkinfo)$/i;
const SESSION =
  /^(?:[jp]?hp?sess(?:ion)?_?id|jsessionid|phpsessid|aspsessionid\w*|asp\.net_sessionid|sess(?:ion)?(?:_?(?:id|key|token))?|sid|s_id|cfid|cftoken|oscsid|zenid|nonce|csrf\w*|_token|authenticity_token|cachebust(?:er)?|cb|_)$/i;
/** Session ids in the path: `;jsessionid=…` and ASP.NET's `/(S(…))/`. */
const IN_PATH = /;(?:jsessionid|phpsessid|sid)=[^/?#;]*|\/\([A-Z]\([^()/]{8,}\)\)/gi;
/** URLs that are generated for each visitor. */
const PER_VISIT = /\/cdn-cgi\/(?:l\/email-protection|challenge-platform|rum)/;
const NEEDS_NORMALIZING = /[?;%#([\]^`{|}]/;
const CHARS_CAP = 2_048;

/**
 * Returns the form of an absolute URL that comparisons use: without fragment, tracking and session parameters, other
 * parameters in a fixed order, http as https. Undefined for URLs that are generated per visit or too long.
 */
export function comparisonUrl(address: string): string | undefined {
  if (address.length > CHARS_CAP || PER_VISIT.test(address)) return undefined;
  const secure = address.startsWith('http:') ? `https:${address.slice(5)}` : address;
  if (!secure.startsWith('https:')) return secure;
  return NEEDS_NORMALIZING.test(secure) ? withoutVisitorParts(secure) : secure;
}

function withoutVisitorParts(address: string): string {
  const route = ROUTE.exec(address)?.[0] ?? '';
  const bare = normalizeUrl(address.replace(IN_PATH, ''));
  const mark = bare.indexOf('?');
  if (mark === -1) return bare + route;
  const pairs = bare
    .slice(mark + 1)
    .split('&')
    .filter((pair) => pair !== '' && !isVisitorParameter(pair));
  // Parameters with the same name keep their order, which servers may depend on.
  pairs.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : nameOf(a) > nameOf(b) ? 1 : 0));
  return bare.slice(0, mark) + (pairs.length === 0 ? '' : `?${pairs.join('&')}`) + route;
}

/** Fragments that contain the path in old script routers. */
const ROUTE = /#!?\/.*$/;

const nameOf = (pair: string): string => {
  const equals = pair.indexOf('=');
  return equals === -1 ? pair : pair.slice(0, equals);
};

function isVisitorParameter(pair: string): boolean {
  const name = nameOf(pair);
  return TRACKING.test(name) || SESSION.test(name);
}

/**
 * Returns the file name of an image without the parts that builds and image services add. Empty if nothing else is
 * left.
 */
export function imageName(address: string): string {
  const path = address.slice(0, endOf(address.search(/[?#]/), address));
  const file = path.slice(path.lastIndexOf('/') + 1).slice(0, 200);
  const dot = file.lastIndexOf('.');
  const stem = dot > 0 ? file.slice(0, dot) : file;
  return stem
    .split(/[._~@-]+/)
    .filter((part) => part !== '' && !isMachineMade(part))
    .join('-')
    .toLowerCase();
}

/** Returns an image's URL without the query of image services and without build hashes in the name. */
export const imageUrl = (address: string): string =>
  address.replace(/[?#].*$/, '').replace(/[.-](?=[\w-]*\d)(?=[\w-]*[a-z])[\w-]{6,}(?=\.\w{2,5}$)/i, '');

const endOf = (found: number, text: string): number => (found === -1 ? text.length : found);

/** True for hashes, ids and sizes: `9f8e7d6c`, `X1b2C3d4`, `300x200`, `2x`, `w640`. */
const isMachineMade = (part: string): boolean =>
  /^(?:[wh]?\d+|\d+x\d*|[0-9a-f]{6,}|min|scaled|webp|jpe?g|png)$/i.test(part) ||
  (part.length >= 8 && /\d/.test(part) && /[a-z]/i.test(part) && !/^[a-z]+\d{1,4}$/i.test(part));
