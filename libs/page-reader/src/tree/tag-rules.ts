import { asKeys } from './kept-attributes.ts';
import type { IndexedElements } from './page-tree.ts';

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** https://html.spec.whatwg.org/multipage/syntax.html#void-elements and their obsolete companions */
const VOID = setOf(
  'area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr',
);

/** Foreign elements that contain HTML: https://html.spec.whatwg.org/multipage/parsing.html#html-integration-point */
const SVG_INTEGRATION = 'foreignobject desc title';
const MATH_INTEGRATION = 'mi mo mn ms mtext annotation-xml';
const INTEGRATION = { svg: setOf(SVG_INTEGRATION), math: setOf(MATH_INTEGRATION) };

/**
 * Special elements, without those that only matter in the head:
 * https://html.spec.whatwg.org/multipage/parsing.html#special
 */
const SPECIAL = setOf(
  'address applet article aside blockquote button caption center colgroup dd details dir div dl dt fieldset figcaption figure ' +
    'footer form frameset h1 h2 h3 h4 h5 h6 header hgroup iframe li listing main marquee menu nav noscript object ol p plaintext ' +
    `pre search section select summary table tbody td template textarea tfoot th thead tr ul xmp ${SVG_INTEGRATION} ${MATH_INTEGRATION}`,
);

const SCOPE_TAGS = `table td th caption template marquee object applet ${SVG_INTEGRATION} ${MATH_INTEGRATION}`;
/** https://html.spec.whatwg.org/multipage/parsing.html#has-an-element-in-scope */
export const SCOPE = setOf(SCOPE_TAGS);
export const BUTTON_SCOPE = setOf(`${SCOPE_TAGS} button`);
const LIST_SCOPE = setOf(`${SCOPE_TAGS} ol ul`);
export const TABLE_SCOPE = setOf('table template');

/** Tables and their parts, cells, and templates: the elements that select a table's insertion modes. */
export type TableRole = 'table' | 'section' | 'row' | 'columns' | 'column' | 'cell' | 'caption' | 'template';
const TABLE_ROLES: ReadonlyMap<string, TableRole> = new Map<string, TableRole>([
  ['table', 'table'],
  ['tbody', 'section'],
  ['thead', 'section'],
  ['tfoot', 'section'],
  ['tr', 'row'],
  ['colgroup', 'columns'],
  ['col', 'column'],
  ['td', 'cell'],
  ['th', 'cell'],
  ['caption', 'caption'],
  ['template', 'template'],
]);

/**
 * Returns the elements that bound the search of an end tag:
 * https://html.spec.whatwg.org/multipage/parsing.html#has-an-element-in-scope
 */
function boundaryOf(tag: string): ReadonlySet<string> {
  if (TABLE_ROLES.has(tag)) return tag === 'template' ? NO_TAGS : tag === 'table' ? TEMPLATE : TABLE_SCOPE;
  if (tag === 'li') return LIST_SCOPE;
  return tag === 'p' ? BUTTON_SCOPE : SCOPE;
}
const NO_TAGS: ReadonlySet<string> = new Set();
const TEMPLATE = setOf('template');

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
  'header hgroup hr listing main menu nav ol p plaintext pre search section summary table ul xmp'
).split(' ');
/** An open list item is closed through inline markup, div, p and address only. */
const LIST_ITEM_BARRIERS = new Set([...SPECIAL].filter((tag) => !['address', 'div', 'p'].includes(tag)));

/** Start tags and the elements they close: https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inbody */
const IMPLIED = new Map<string, readonly ImpliedClose[]>([
  ...BLOCK_STARTS.map((tag): [string, ImpliedClose[]] => [tag, [closeP]]),
  ['li', [...rules('li', LIST_ITEM_BARRIERS), closeP]],
  ['dd', [...rules('dd dt', LIST_ITEM_BARRIERS), closeP]],
  ['dt', [...rules('dd dt', LIST_ITEM_BARRIERS), closeP]],
  ['rb', rules('rb rp rt rtc', SPECIAL)],
  ['rtc', rules('rb rp rt rtc', SPECIAL)],
  ['rp', rules('rb rp rt', SPECIAL)],
  ['rt', rules('rb rp rt', SPECIAL)],
  ['a', rules('a', SPECIAL)],
  ['button', rules('button', SCOPE)],
]);

/**
 * HTML start tags that end an svg or math element:
 * https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inforeign
 */
const FOREIGN_BREAKOUT_TAGS = setOf(
  'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol p ' +
    'pre ruby s small span strong strike sub sup table tt u ul var',
);

const HEAD_TAGS = setOf('title meta link base script style noscript template basefont');
const TABLE_BOXES = setOf('table tbody thead tfoot tr colgroup');
const SPECIAL_CASES = setOf('html head body frame frameset form image option optgroup select svg math');
/** Elements whose end tag searches in scope instead of stopping at each special element. */
const CLOSED_IN_SCOPE = setOf(
  'address applet article aside blockquote button center dd details dialog dir div dl dt fieldset figcaption figure footer ' +
    'header hgroup li listing main marquee menu nav object ol pre search section summary ul template ' +
    [...TABLE_ROLES.keys()].join(' '),
);
/** Content that rules out a later frameset: https://html.spec.whatwg.org/multipage/parsing.html#frameset-ok-flag */
const RULES_OUT_FRAMESET = setOf(
  'applet area br button dd dt embed hr iframe img input keygen li listing marquee object pre select table textarea wbr xmp',
);
/** https://html.spec.whatwg.org/multipage/parsing.html#generate-implied-end-tags */
const IMPLIED_ENDS = setOf('dd dt li optgroup option p rb rp rt rtc');

/** https://html.spec.whatwg.org/multipage/parsing.html#parsing-html-fragments */
const RAW_TEXT = setOf('style iframe noembed noframes xmp');

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
  /** True if its start tag closes other elements. */
  readonly endsOthers: boolean;
  /** Elements that bound the search of its end tag. */
  readonly boundary: ReadonlySet<string>;
  /**
   * How its content is tokenized, in the terms of
   * https://html.spec.whatwg.org/multipage/parsing.html#parsing-html-fragments
   */
  readonly contentModel: 'normal' | 'raw text' | 'script' | 'noscript' | 'escapable raw text' | 'plaintext';
  readonly tableRole: TableRole | undefined;
  /** True for table, table parts and colgroup, which contain no text. */
  readonly isTableBox: boolean;
  /** True for an element that the body's rules insert without a special case. */
  readonly isOrdinary: boolean;
  readonly isHeading: boolean;
  readonly hasImpliedEnd: boolean;
  readonly closesInScope: boolean;
  readonly rulesOutFrameset: boolean;
  /** The namespace in which the element contains HTML. */
  readonly integrates: 'svg' | 'math' | undefined;
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

const NAMES = asKeys(
  new Set([
    ...VOID,
    ...SPECIAL,
    ...SCOPE,
    ...FOREIGN_BREAKOUT_TAGS,
    ...HEAD_TAGS,
    ...RAW_TEXT,
    ...TABLE_ROLES.keys(),
    ...IMPLIED.keys(),
    ...'html head body title textarea plaintext image label abbr cite q time ins del picture video audio path g use'.split(
      ' ',
    ),
    ...'article section main nav aside footer header form input select option optgroup button canvas rb rp rt rtc'.split(
      ' ',
    ),
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
    endsOthers: IMPLIED.has(name) || name === 'option' || name === 'optgroup',
    boundary: boundaryOf(name),
    contentModel: contentModelOf(name),
    tableRole: TABLE_ROLES.get(name),
    isTableBox: TABLE_BOXES.has(name),
    isOrdinary: isOrdinary(name),
    isHeading: /^h[1-6]$/.test(name),
    hasImpliedEnd: IMPLIED_ENDS.has(name),
    closesInScope: CLOSED_IN_SCOPE.has(name),
    rulesOutFrameset: RULES_OUT_FRAMESET.has(name),
    integrates: integratesIn(name),
    indexedAs: INDEXED_TAGS.get(name),
  };
}

function contentModelOf(name: string): TagRule['contentModel'] {
  if (name === 'plaintext' || name === 'script' || name === 'noscript') return name;
  if (RAW_TEXT.has(name)) return 'raw text';
  return name === 'title' || name === 'textarea' ? 'escapable raw text' : 'normal';
}

function isOrdinary(name: string): boolean {
  return !TABLE_ROLES.has(name) && !SPECIAL_CASES.has(name) && contentModelOf(name) === 'normal';
}

function integratesIn(name: string): TagRule['integrates'] {
  if (INTEGRATION.svg.has(name)) return 'svg';
  return INTEGRATION.math.has(name) ? 'math' : undefined;
}
