import type { Element } from '@tidemark/page-reader/source';
import { isGeneratedName, normalizeName } from '../markup/generated-names.ts';
import { attributeIn, classesOf } from '../markup/markup-tree.ts';
import { childStep, cssName, quoted, structuralSelector, uniqueIds } from '../markup/structural-selector.ts';
import type { SelectionCache } from './selection-cache.ts';
import { SELECTOR_STYLES, SEMANTIC_TAGS, type SelectorStyle } from './selector-style.ts';

/** A candidate selector and its style. */
export interface WrittenSelector {
  readonly selector: string;
  readonly style: SelectorStyle;
}

const MAX_VALUE_CHARS = 60;
const MAX_CLASSES = 8;
/** Maximum distance of an ancestor with a stable name. */
const MAX_ANCESTORS = 8;
/** Attributes that scripts and styles set. */
const VOLATILE_ATTRIBUTES =
  /^data-(?:v-|react|emotion|styled|state|index|id$|key$|uid|src|href|lazy|aos|animation|duration|offset)|^aria-(?:expanded|hidden|selected|busy|live|controls|describedby|labelledby|owns)/;
/** Classes that describe the current presentation. */
const PRESENTATIONAL_CLASSES =
  /^(?:[mp][trblxy]?-|w-|h-|col-|row$|d-|flex|grid|text-|bg-|border|rounded|gap-|items-|justify-|font-|leading-|max-|min-|md:|lg:|sm:|xl:|is-|has-|active$|open$|show$|hidden$|visible$|fade$|clearfix$|pull-|float)|[:/[\]]/;

/**
 * Returns candidate selectors for elements, most stable first: id, attributes, semantic tag, authored classes, these
 * below an ancestor, the stable part of a generated class, structure. Uniqueness is not checked.
 */
export function writeSelectors(selected: SelectionCache, elements: readonly Element[]): WrittenSelector[] {
  const [first] = elements;
  if (first === undefined) return [];
  const own = ownSelectors(first).filter(
    ({ selector }) => elements.length === 1 || matchesAll(selected, selector, elements),
  );
  const written = [
    ...own,
    ...scopedSelectors(selected, first, elements.length > 1),
    ...structuralSelectors(selected, elements),
  ];
  const rank = ({ style }: WrittenSelector): number => SELECTOR_STYLES.indexOf(style);
  return written.sort((a, b) => rank(a) - rank(b));
}

const matchesAll = (selected: SelectionCache, selector: string, elements: readonly Element[]): boolean => {
  const matched = new Set(selected.all(selector));
  return elements.every((element) => matched.has(element));
};

/** Returns selectors from the element's own attributes. */
function ownSelectors(element: Element): WrittenSelector[] {
  const { tag } = element;
  // Class and id of `body` describe the state of the page.
  if (tag === 'body' || tag === 'html') return [{ selector: tag, style: 'structure' }];
  const id = attributeIn(element, 'id');
  const isName = id !== '' && id.length <= MAX_VALUE_CHARS && !isGeneratedName(id);
  const classes = classesOf(element).slice(0, MAX_CLASSES);
  const chosen = classes
    .filter((name) => !isGeneratedName(name))
    .sort((a, b) => Number(PRESENTATIONAL_CLASSES.test(a)) - Number(PRESENTATIONAL_CLASSES.test(b)));
  const [plain, presentational] = [
    chosen.filter((name) => !PRESENTATIONAL_CLASSES.test(name)),
    chosen.filter((name) => PRESENTATIONAL_CLASSES.test(name)),
  ];
  const pairs = plain.flatMap((name, at) =>
    chosen.slice(at + 1, at + 4).map((other) => `.${cssName(name)}.${cssName(other)}`),
  );
  const dotted = [
    ...plain.map((name) => `.${cssName(name)}`),
    ...pairs,
    ...plain.map((name) => `${tag}.${cssName(name)}`),
  ];
  const as = (style: SelectorStyle, selectors: readonly string[]): WrittenSelector[] =>
    selectors.map((selector) => ({ selector, style }));
  return [
    ...as('id', isName ? [`#${cssName(id)}`] : []),
    ...as('attribute', attributeSelectors(element)),
    ...as('semantic', SEMANTIC_TAGS.has(tag) ? [tag] : []),
    ...as('class', dotted),
    ...as('part', [...classPrefixSelectors(classes), ...presentational.map((name) => `${tag}.${cssName(name)}`)]),
  ];
}

/** Returns attribute selectors, most deliberate first. */
function attributeSelectors(element: Element): string[] {
  const lasting = Object.entries(element.attributes).filter(
    ([name, value]) =>
      value !== '' &&
      value.length <= MAX_VALUE_CHARS &&
      !/\d{3}/.test(value) &&
      !value.split(/\s+/).some(isGeneratedName) &&
      isStableAttribute(name),
  );
  const order = (name: string): number => ['itemprop', 'role', 'data-testid'].indexOf(name) >>> 0;
  return lasting.sort(([a], [b]) => order(a) - order(b)).map(([name, value]) => `[${cssName(name)}=${quoted(value)}]`);
}

const isStableAttribute = (name: string): boolean =>
  name === 'itemprop' ||
  name === 'role' ||
  name === 'as' ||
  name === 'name' ||
  (/^(?:data|aria)-/.test(name) && !VOLATILE_ATTRIBUTES.test(name));

/** Returns selectors by the stable part of generated classes, such as `TextContent_body__ToW2S`. */
function classPrefixSelectors(classes: readonly string[]): string[] {
  return classes.flatMap((name) => {
    const stablePart = normalizeName(name).split('*')[0] ?? '';
    return stablePart !== name && stablePart.replace(/[^a-z]/gi, '').length >= 4
      ? [`[class*=${quoted(stablePart)}]`]
      : [];
  });
}

/** Returns selectors below the nearest ancestors that have a unique selector. */
function scopedSelectors(selected: SelectionCache, element: Element, isSet: boolean): WrittenSelector[] {
  const written: WrittenSelector[] = [];
  const steps = [
    ...ownSelectors(element)
      .filter(({ style }) => style === 'semantic' || style === 'class')
      .map(({ selector }) => selector),
    element.tag,
  ].slice(0, 4);
  let anchor = element.parent;
  for (
    let up = 1;
    anchor !== undefined && anchor.tag !== 'body' && anchor.tag !== 'html' && up <= MAX_ANCESTORS;
    up += 1, anchor = anchor.parent
  ) {
    const name = ownSelectors(anchor).find(
      ({ selector, style }) => style !== 'part' && selected.all(selector).length === 1,
    );
    if (name === undefined) continue;
    const between = up === 1 ? ' > ' : ' ';
    for (const step of steps) written.push({ selector: `${name.selector}${between}${step}`, style: 'scoped' });
    if (up === 1 && !isSet) written.push({ selector: `${name.selector} > ${childStep(element)}`, style: 'structure' });
    if (written.length >= 12) break;
  }
  return written;
}

function structuralSelectors({ page }: SelectionCache, elements: readonly Element[]): WrittenSelector[] {
  const [first] = elements;
  if (first === undefined) return [];
  const ids = uniqueIds(page);
  if (elements.length === 1) return [{ selector: structuralSelector(first, ids), style: 'structure' }];
  const haveOneParent = elements.every((element) => element.parent === first.parent);
  if (!haveOneParent || first.parent === undefined) return [];
  const parent = structuralSelector(first.parent, ids);
  return [
    first.tag,
    ...ownSelectors(first)
      .filter(({ style }) => style === 'class')
      .map(({ selector }) => selector),
  ].map((step) => ({
    selector: `${parent} > ${step}`,
    style: 'structure',
  }));
}
