import { type Attributes, NO_ATTRIBUTES } from './page-tree.ts';
import { CART_NAMES, PRICE_NAMES } from './shop-names.ts';
import { NAME_CHARS, NAMES_CAP } from './thresholds.ts';

/** What an element's class, id and role indicate, as bits of `Element.hints`. */
export const Hint = {
  hidden: 1,
  /** Site chrome: menus, bars, breadcrumbs, pagers. */
  chrome: 2,
  /** Secondary content: related articles, promotions, sharing, subscriptions. */
  aside: 4,
  /** Reader comments and replies. */
  comment: 8,
  /** Metadata of an article: bylines, dates, tags. */
  meta: 16,
  /** Captions and credits of images. */
  caption: 32,
  /** Names that authors give to the content itself. */
  content: 64,
  /** Consent and cookie notices, pop-ups. */
  consent: 128,
  advert: 256,
  header: 512,
  footer: 1024,
  /** The bits below are prefilters: an exact pattern is tried only if its bit is set. */
  mayByline: 2_048,
  mayDate: 4_096,
  mayNotes: 8_192,
  mayMath: 16_384,
  mayCallout: 32_768,
  /** Reviews of a product. */
  review: 65_536,
  price: 131_072,
  /** Baskets and buttons that add to them. */
  cart: 262_144,
} as const;

const words = (bits: number, list: string): [string, number][] => list.split(' ').map((word) => [word, bits]);

/** Tokens of class names without digits at their end, split at punctuation and camelCase boundaries. */
const TOKENS = new Map<string, number>([
  ...words(
    Hint.chrome,
    'nav navbar navigation navigate menu menus submenu topbar toolbar breadcrumb breadcrumbs crumb crumbs pager',
  ),
  ...words(
    Hint.chrome,
    'pagination pagenav paging sitemap skiplink masthead megamenu dropdown offcanvas hamburger searchform searchbox',
  ),
  ...words(
    Hint.aside,
    'sidebar aside related recommended recommendation recommendations recirc recirculation trending popular promo promos',
  ),
  ...words(
    Hint.aside,
    'promotion newsletter newsletters subscribe subscription signup share sharing shares sharebar sharetools social',
  ),
  ...words(Hint.aside, 'recommend recommends teaser teasers infobox navbox'),
  ...words(Hint.comment, 'comment comments commentlist commentary disqus respond reply replies discussion discussions'),
  ...words(Hint.meta, 'byline bylines dateline timestamp postmeta metadata authors author tags tag'),
  ...words(Hint.meta, 'categories posted published updated keywords'),
  ...words(Hint.caption, 'caption captions credit credits copyright'),
  ...words(Hint.content, 'article content contents entry hentry main post story text prose'),
  ...words(Hint.content, 'blog body page markdown richtext readable documentation docs wiki mw'),
  ...words(
    Hint.consent,
    'cookie cookies cookiebar cookieconsent consent gdpr onetrust popup popups modal overlay paywall toast',
  ),
  ...words(Hint.advert, 'ad ads adv advert adverts advertisement advertisements advertising sponsor'),
  ...words(Hint.advert, 'sponsored sponsors banner banners'),
  ...words(Hint.header, 'header head masthead topbar'),
  ...words(Hint.review, 'review reviews'),
  ...words(Hint.price, PRICE_NAMES),
  ...words(Hint.cart, CART_NAMES),
  ...words(Hint.footer, 'footer foot colophon bottombar'),
]);

const HIDDEN_NAMES =
  /(?:^|\s)(?:sr-only|sronly|visually-?hidden|visuallyhidden|screen-reader(?:-text)?|screenreader|a11y-hidden|assistive-text|noprint)(?=\s|$)/;
const NAME_PATTERNS: readonly [RegExp, number][] = [
  [
    /(?:sidebar|footer)[-_]?widget|widget[-_]area|(?:more|read|most|also)[-_](?:from|stories|news|articles|posts|read|popular|on|like|reading)|you[-_]may|jp-relatedposts/,
    Hint.aside,
  ],
  [
    /(?:article|post|entry|story)[-_](?:meta|info|date|author|tags|header-meta|byline)|author[-_](?:bio|box|card)|published[-_]date/,
    Hint.meta,
  ],
  [
    /site[-_]?(?:header|nav)|global[-_](?:header|nav)|page[-_]?nav|skip[-_](?:to|link|nav)|(?:tab|menu)[-_]?bar|back[-_]to[-_]top/,
    Hint.chrome,
  ],
  [/(?:photo|image|img|media|picture|wp)[-_](?:caption|credit|copyright)/, Hint.caption],
];
const ROLES = new Map<string, number>([
  ['navigation', Hint.chrome],
  ['search', Hint.chrome],
  ['menu', Hint.chrome],
  ['menubar', Hint.chrome],
  ['complementary', Hint.aside],
  ['banner', Hint.header | Hint.chrome],
  ['contentinfo', Hint.footer | Hint.chrome],
  ['dialog', Hint.consent],
  ['alertdialog', Hint.consent],
]);

/** Page builders use "widget" for every content box; themes use it for the sidebar. */
const PAGE_BUILDER = /elementor|so-panel|sow-|siteorigin/;

const seen = new Map<string, number>();

/** Returns the hints of an element's class, id and role. The hints of a name depend on its spelling alone. */
export function hintsOf(attributes: Attributes): number {
  if (attributes === NO_ATTRIBUTES) return 0;
  const className = attributes['class'];
  const id = attributes['id'];
  const role = attributes['role'];
  let bits = 0;
  if (className) bits |= hintsOfName(className);
  if (id) bits |= hintsOfName(id);
  if (role) bits |= ROLES.get(role) ?? 0;
  return bits;
}

function hintsOfName(name: string): number {
  const known = seen.get(name);
  if (known !== undefined) return known;
  if (name.length > NAME_CHARS) return readName(name.slice(0, NAME_CHARS)) | ALL_CANDIDATES;
  const bits = readName(name);
  if (seen.size >= NAMES_CAP) seen.clear();
  // A copy: the name is a part of the page's text, which would stay in memory with it.
  seen.set(Buffer.from(name).toString(), bits);
  return bits;
}

/** Prefilter: most names match none of the patterns below. */
const PATTERN_PREFILTER =
  /only|hidden|screen|a11y|assistive|noprint|widget|you[-_]may|relatedposts|(?:more|read|most|also|article|post|entry|story|author|published|global|skip)[-_]|site|nav|bar|back[-_]to|caption|credit|copyright/;
const CANDIDATE_PATTERNS: readonly [RegExp, number][] = [
  [/byline|author|username/, Hint.mayByline],
  [/date|published|timestamp|posted/, Hint.mayDate],
  [/note/, Hint.mayNotes],
  [/katex|math|(?:^|\s)tex|latex/, Hint.mayMath],
  [/alert|admonition|custom-|aside|callout/, Hint.mayCallout],
];
const CANDIDATE_PREFILTER =
  /byline|author|username|date|published|timestamp|posted|note|katex|math|tex|alert|admonition|custom-|aside|callout/;
const ALL_CANDIDATES = Hint.mayByline | Hint.mayDate | Hint.mayNotes | Hint.mayMath | Hint.mayCallout;

function readName(name: string): number {
  const lower = name.toLowerCase();
  let bits = hintsOfTokens(name === lower ? name : name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase());
  if (CANDIDATE_PREFILTER.test(lower))
    for (const [pattern, hint] of CANDIDATE_PATTERNS) if (pattern.test(lower)) bits |= hint;
  if (!PATTERN_PREFILTER.test(lower)) return bits;
  if (HIDDEN_NAMES.test(lower)) bits |= Hint.hidden;
  if (/(?:^|[\s_-])widgets?(?=$|[\s_-])/.test(lower) && !PAGE_BUILDER.test(lower)) bits |= Hint.aside;
  for (const [pattern, hint] of NAME_PATTERNS) if (pattern.test(lower)) bits |= hint;
  return bits;
}

/** Letters before or between digits of one token are parts of a random name, except digits at its end. */
function hintsOfTokens(name: string): number {
  let bits = 0;
  for (let at = 0; at < name.length; at++) {
    const from = at;
    while (isLetter(name.charCodeAt(at))) at++;
    const to = at;
    while (isDigit(name.charCodeAt(at))) at++;
    if (isLetter(name.charCodeAt(at))) while (isLetter(name.charCodeAt(at)) || isDigit(name.charCodeAt(at))) at++;
    else if (to > from) bits |= TOKENS.get(name.slice(from, to)) ?? 0;
  }
  return bits;
}

const isLetter = (code: number): boolean => code >= 97 && code <= 122;
const isDigit = (code: number): boolean => code >= 48 && code <= 57;
