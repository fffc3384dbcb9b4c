import type { IndexedElements } from './page-tree.ts';

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** https://html.spec.whatwg.org/multipage/syntax.html#void-elements and their obsolete companions */
const VOID = setOf(
  'area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr',
);

/**
 * Special elements, without those that only matter in the head:
 * https://html.spec.whatwg.org/multipage/parsing.html#special
 */
const SPECIAL = setOf(
  'address article aside blockquote button caption center dd details dir div dl dt fieldset figcaption figure footer form ' +
    'h1 h2 h3 h4 h5 h6 header hgroup iframe li listing main marquee menu nav noscript object ol p pre search section select ' +
    'summary table tbody td template textarea tfoot th thead tr ul',
);

const SCOPE = setOf('table td th caption template marquee object applet svg math');
const BUTTON_SCOPE = setOf('table td th caption template marquee object applet svg math button');
const LIST_SCOPE = setOf('table td th caption template marquee object applet svg math ol ul menu dir');
const TABLE_SCOPE = setOf('table template');
const TABLE_TAGS = setOf('caption tbody td tfoot th thead tr');
const NO_TAGS: ReadonlySet<string> = new Set();

/**
 * Returns the elements that bound the search of an end tag:
 * https://html.spec.whatwg.org/multipage/parsing.html#has-an-element-in-scope
 */
function boundaryOf(tag: string): ReadonlySet<string> {
  if (tag === 'table') return NO_TAGS;
  if (TABLE_TAGS.has(tag)) return TABLE_SCOPE;
  if (tag === 'li') return LIST_SCOPE;
  return tag === 'p' ? BUTTON_SCOPE : SCOPE;
}

/** An element that a start tag closes, unless the search meets one of `barriers` first. */
interface ImpliedClose {
  closes: string;
  barriers: ReadonlySet<string>;
}

const closeP: ImpliedClose = { closes: 'p', barriers: BUTTON_SCOPE };
const rules = (closes: string, barriers: ReadonlySet<string>): ImpliedClose[] =>
  closes.split(' ').map((tag) => ({ closes: tag, barriers }));

const BLOCK_STARTS = (
  'address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 ' +
  'header hgroup hr listing main menu nav ol p pre search section summary table ul'
).split(' ');
/** An open list item is closed through inline markup, div, p and address only. */
const LIST_ITEM_BARRIERS = new Set(
  [...SPECIAL].filter((tag) => !['address', 'div', 'p', 'li', 'dd', 'dt'].includes(tag)),
);
const INLINE_BARRIERS = SPECIAL;

/** Start tags and the elements they close: https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inbody */
const IMPLIED = new Map<string, readonly ImpliedClose[]>([
  ...BLOCK_STARTS.map((tag): [string, ImpliedClose[]] => [tag, [closeP]]),
  ['li', [...rules('li', LIST_ITEM_BARRIERS), closeP]],
  ['dd', [...rules('dd dt', LIST_ITEM_BARRIERS), closeP]],
  ['dt', [...rules('dd dt', LIST_ITEM_BARRIERS), closeP]],
  ['option', rules('option', setOf('select datalist'))],
  ['optgroup', rules('option optgroup', setOf('select datalist'))],
  ['tr', rules('td th tr caption', TABLE_SCOPE)],
  ['td', rules('td th caption', setOf('table template tr'))],
  ['th', rules('td th caption', setOf('table template tr'))],
  ['tbody', rules('td th tr tbody thead tfoot caption', TABLE_SCOPE)],
  ['thead', rules('td th tr tbody thead tfoot caption', TABLE_SCOPE)],
  ['tfoot', rules('td th tr tbody thead tfoot caption', TABLE_SCOPE)],
  ['a', rules('a', INLINE_BARRIERS)],
  ['button', rules('button', SCOPE)],
]);

/**
 * HTML start tags that end an svg or math element:
 * https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inforeign
 */
const FOREIGN_BREAKOUT_TAGS = setOf(
  'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol p ' +
    'pre ruby s small span strong strike sub sup table tt u ul var section article main footer header nav',
);

const HEAD_TAGS = setOf('title meta link base script style noscript template basefont');
/**
 * https://html.spec.whatwg.org/multipage/parsing.html#parsing-html-fragments, without noscript, whose markup is parsed.
 */
const RAW_TEXT = setOf('script style iframe noembed noframes xmp');

/** Everything that the parser derives from a tag's name. */
export interface TagRule {
  readonly name: string;
  /** Consecutive, from 0. */
  readonly id: number;
  readonly isVoid: boolean;
  readonly isSpecial: boolean;
  readonly isForeign: boolean;
  readonly belongsInHead: boolean;
  readonly breaksOutOfForeign: boolean;
  /** Elements that its start tag closes. */
  readonly closes: readonly (ImpliedClose & { readonly id: number })[];
  /** Elements that bound the search of its end tag. */
  readonly boundary: ReadonlySet<string>;
  /**
   * How its content is tokenized, in the terms of
   * https://html.spec.whatwg.org/multipage/parsing.html#parsing-html-fragments
   */
  readonly contentModel: 'normal' | 'raw text' | 'escapable raw text' | 'plaintext';
  /** The list of `Page.indexed` that receives its elements. */
  readonly indexedAs: keyof IndexedElements | undefined;
}

const INDEXED_TAGS: ReadonlyMap<string, keyof IndexedElements> = new Map([
  ['meta', 'metas'],
  ['link', 'links'],
  ['title', 'titles'],
  ['script', 'scripts'],
  ['h1', 'headings'],
  ['time', 'times'],
  ['a', 'anchors'],
  ['area', 'anchors'],
  ['label', 'anchors'],
  ['sup', 'superscripts'],
]);

/** Interns the names as property keys, which the engine compares by address instead of by character. */
const asKeys = (names: Iterable<string>): string[] =>
  Object.keys(Object.fromEntries([...names].map((name): [string, true] => [name, true])));

const NAMES = asKeys(
  new Set([
    ...[...VOID, ...SPECIAL, ...SCOPE, ...FOREIGN_BREAKOUT_TAGS, ...HEAD_TAGS, ...RAW_TEXT, ...IMPLIED.keys()],
    ...'html head body title textarea plaintext image label abbr cite q time ins del picture video audio path g use'.split(
      ' ',
    ),
    ...'article section main nav aside footer header form input select option optgroup button canvas'.split(' '),
  ]),
);
const IDS: ReadonlyMap<string, number> = new Map(NAMES.map((name, at) => [name, at]));
const RULES: ReadonlyMap<string, TagRule> = new Map(NAMES.map((name, at) => [name, ruleFor(name, at)]));

/**
 * Returns the rule of a tag. An unknown tag gets the default rule, with an id after the known ones; `unknown` is its
 * index among the page's unknown tags.
 */
export function ruleOf(tag: string): TagRule | undefined;
export function ruleOf(tag: string, unknown: number): TagRule;
export function ruleOf(tag: string, unknown?: number): TagRule | undefined {
  return RULES.get(tag) ?? (unknown === undefined ? undefined : ruleFor(tag, NAMES.length + unknown));
}

function ruleFor(name: string, id: number): TagRule {
  return {
    name,
    id,
    isVoid: VOID.has(name),
    isSpecial: SPECIAL.has(name),
    isForeign: name === 'svg' || name === 'math',
    belongsInHead: HEAD_TAGS.has(name),
    breaksOutOfForeign: FOREIGN_BREAKOUT_TAGS.has(name),
    closes: (IMPLIED.get(name) ?? []).map((rule) => ({ ...rule, id: IDS.get(rule.closes) ?? -1 })),
    boundary: boundaryOf(name),
    contentModel: contentModelOf(name),
    indexedAs: INDEXED_TAGS.get(name),
  };
}

function contentModelOf(name: string): TagRule['contentModel'] {
  if (name === 'plaintext') return 'plaintext';
  if (RAW_TEXT.has(name)) return 'raw text';
  return name === 'title' || name === 'textarea' ? 'escapable raw text' : 'normal';
}

/** Names of the attributes that later steps read. */
export const KEPT_ATTRIBUTES: ReadonlyMap<string, string> = new Map(
  asKeys(
    (
      'id class role style hidden aria-hidden aria-label aria-modal href src srcset alt title name content property http-equiv charset ' +
      'rel hreflang type media lang dir width height colspan rowspan align start value reversed checked datetime itemprop itemtype ' +
      'itemscope data-src data-srcset data-original data-lazy-src data-lazy-srcset data-lazy data-original-src data-full-src ' +
      'data-hi-res-src data-image data-url data-lang data-language data-code-lang data-sitekey data-line-number data-nosnippet ' +
      'encoding display alttext data-math data-latex action method for open cite sizes as autocomplete placeholder ' +
      'shadowrootmode data-testid data-component-name data-callout abbr'
    ).split(' '),
  ).map((name) => [name, name]),
);
