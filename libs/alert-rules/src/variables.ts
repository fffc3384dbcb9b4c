import type { Members, Variable } from '@tidemark/expressions';

/** Values of the head that a condition reads. */
export const HEAD_NAMES = ['title', 'description', 'canonical', 'robots', 'h1', 'language'] as const;

/** Values of the product that a condition reads. */
export const PRODUCT_NAMES = [
  'price',
  'priceHigh',
  'regularPrice',
  'currency',
  'availability',
  'inStock',
  'sku',
  'gtin',
  'brand',
] as const;

/** A value of both readings. The members of the value itself are not known. */
const COMPARED: Members = { before: 'any', after: 'any', changed: 'any' };

const compared = (names: readonly string[]): Members => Object.fromEntries(names.map((name) => [name, COMPARED]));

const ENTRY: Members = {
  text_added: 'any',
  text_removed: 'any',
  numeric_only: 'any',
  returned: 'any',
  degraded: 'any',
  moved_from: 'any',
  template_pages: 'any',
  blocks: 'any',
};

const PAGE: Members = {
  url: 'any',
  title: 'any',
  language: 'any',
  httpStatus: 'any',
  verdict: 'any',
  verdict_before: 'any',
  words: 'any',
};

/** Returns the variables of a condition. `fieldNames`: those of the configuration; `any` where it is not known. */
export const conditionVariables = (fieldNames: readonly string[] | 'any'): Variable[] => [
  { name: 'kind', type: 'text' },
  { name: 'section', type: 'text' },
  { name: 'words_added', type: 'int' },
  { name: 'words_removed', type: 'int' },
  { name: 'entry', type: 'json', members: ENTRY },
  { name: 'page', type: 'json', members: PAGE },
  fieldNames === 'any'
    ? { name: 'fields', type: 'json' }
    : { name: 'fields', type: 'json', members: compared(fieldNames) },
  { name: 'extracted', type: 'json' },
  { name: 'head', type: 'json', members: compared(HEAD_NAMES) },
  { name: 'product', type: 'json', members: compared(PRODUCT_NAMES) },
];
