/**
 * Scores prices, availability and numbers of products on real pages with known values, as the benchmark that labelled
 * them does: https://github.com/scrapinghub/product-extraction-benchmark (the value is exact or wrong; precision, recall
 * and F1 over pages). Sites are in one of two halves by a hash of their name: rules are developed on the first half, so
 * that the figure of the second is that of sites that no rule was developed on.
 *
 *   npm run eval -- products
 *   npm run eval -- products --misses first
 */

import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import type { Product } from '@tidemark/page-reader';
import { decodeBody, readPage, USUAL_CONTENT } from '@tidemark/page-reader';
import { bytesOf, CORPORA, hasCorpora, readCases, textIn } from '../shared/corpora.ts';
import { notMeasured } from '../shared/not-measured.ts';
import { printTable, show } from '../shared/table.ts';

const FOLDER = join(CORPORA, 'products');
const HALVES = ['first', 'second'] as const;
type Half = (typeof HALVES)[number];

interface LabelledProduct {
  readonly id: string;
  readonly url: string;
  readonly half: Half;
  /** Accepted values by attribute; an empty list: the page states none. */
  readonly truth: Readonly<Record<string, readonly string[]>>;
  readonly found: Product | undefined;
}

/** How a found value is compared with the accepted ones. */
interface Attribute {
  readonly name: string;
  readonly goal: number | undefined;
  readonly truth: (truth: LabelledProduct['truth']) => readonly string[];
  readonly value: (found: Product | undefined) => string | undefined;
}

const decimal = (text: string): string => String(Number(text.trim()));
const only = (name: string, values: readonly string[] = []): readonly string[] =>
  values.filter((value) => value === name);

function stockOf(found: Product | undefined): string | undefined {
  if (found?.inStock === undefined) return undefined;
  return found.inStock ? 'InStock' : 'OutOfStock';
}

/** Labels write amounts of some countries with their points for thousands, which the benchmark compares as decimals. */
function withThousands(labels: readonly string[]): string[] {
  return labels.flatMap((label) => [
    decimal(label),
    ...(Number(label) < 1_000 ? [decimal(`${Number(label) * 1_000}`)] : []),
  ]);
}

const ATTRIBUTES: readonly Attribute[] = [
  {
    name: 'price',
    goal: 0.93,
    truth: ({ price = [] }) => price.map(decimal),
    value: (found) => (found?.price === undefined ? undefined : String(found.price)),
  },
  {
    name: 'price, thousands read as such',
    goal: undefined,
    truth: ({ price = [] }) => withThousands(price),
    value: (found) => (found?.price === undefined ? undefined : String(found.price)),
  },
  { name: 'availability', goal: 0.96, truth: ({ availability = [] }) => availability, value: stockOf },
  {
    name: 'InStock',
    goal: undefined,
    truth: ({ availability }) => only('InStock', availability),
    value: (found) => only('InStock', [stockOf(found) ?? ''])[0],
  },
  {
    name: 'OutOfStock',
    goal: undefined,
    truth: ({ availability }) => only('OutOfStock', availability),
    value: (found) => only('OutOfStock', [stockOf(found) ?? ''])[0],
  },
  { name: 'sku', goal: 0.85, truth: ({ sku = [] }) => sku, value: (found) => found?.sku },
  { name: 'gtin', goal: undefined, truth: ({ gtin = [] }) => gtin, value: (found) => found?.gtin },
  {
    name: 'brand',
    goal: undefined,
    truth: ({ brand = [] }) => brand.map((name) => name.trim()),
    value: (found) => found?.brand,
  },
];

interface Counts {
  readonly right: number;
  readonly wrong: number;
  readonly missing: number;
}

function countsOf({ truth, value }: Attribute, page: LabelledProduct): Counts {
  const accepted = truth(page.truth);
  const found = value(page.found);
  const right = found !== undefined && accepted.includes(found);
  return {
    right: right ? 1 : 0,
    wrong: found !== undefined && !right ? 1 : 0,
    missing: accepted.length > 0 && !right ? 1 : 0,
  };
}

function figures(attribute: Attribute, pages: readonly LabelledProduct[]) {
  const counts = pages.map((page) => countsOf(attribute, page));
  const sum = (key: keyof Counts): number => counts.reduce((total, each) => total + each[key], 0);
  const [right, wrong, missing] = [sum('right'), sum('wrong'), sum('missing')];
  const precision = right / (right + wrong || 1);
  const recall = right / (right + missing || 1);
  return {
    precision,
    recall,
    f1: right === 0 ? 0 : (2 * precision * recall) / (precision + recall),
    support: right + missing,
  };
}

/** The name of a site without the domains above it, so that its national sites are in one half. */
function siteOf(url: string): string {
  const labels = new URL(url).hostname.split('.');
  const last = ['co', 'com'].includes(labels.at(-2) ?? '') && labels.length > 2 ? -3 : -2;
  return labels.at(last) ?? '';
}

const halfOf = (url: string): Half =>
  Number.parseInt(createHash('sha1').update(siteOf(url)).digest('hex').slice(-1), 16) % 2 === 0 ? 'first' : 'second';

type Truth = Readonly<Record<string, LabelledProduct['truth'] & { readonly url: string }>>;

function labelledProducts(): LabelledProduct[] {
  const labels: Truth = JSON.parse(readFileSync(join(FOLDER, 'truth.json'), 'utf8'));
  return Object.entries(labels).map(([id, { url, ...truth }]) => {
    const bytes = gunzipSync(readFileSync(join(FOLDER, 'html', `${id}.html.gz`)));
    const { html } = decodeBody(bytes, 'text/html; charset=utf-8');
    const { product } = readPage({ html, url, content: USUAL_CONTENT, outputs: new Set() });
    return { id, url, half: halfOf(url), truth, found: product };
  });
}

function printFigures(title: string, pages: readonly LabelledProduct[]): void {
  console.log(`\n${title}: ${pages.length} pages`);
  printTable(
    ['attribute', 'F1', 'precision', 'recall', 'support', 'goal'],
    ATTRIBUTES.map((attribute) => {
      const { f1, precision, recall, support } = figures(attribute, pages);
      return [attribute.name, show(f1), show(precision), show(recall), String(support), show(attribute.goal)];
    }),
  );
}

function printMisses(pages: readonly LabelledProduct[]): void {
  for (const attribute of ATTRIBUTES.filter(({ name }) => !/Stock$|,/.test(name)))
    for (const page of pages) {
      const { wrong, missing } = countsOf(attribute, page);
      if (wrong + missing === 0) continue;
      const found = attribute.value(page.found) ?? '-';
      console.log(
        `  ${attribute.name}: ${found} for ${attribute.truth(page.truth).join(' or ') || '-'}; ${page.found?.source ?? 'no product'} ${page.found?.conflict.join(' ') ?? ''} ${page.id.slice(0, 6)} ${page.url.slice(0, 90)}`,
      );
    }
}

/** Counts the products found on pages of other sets, whose types are labelled: articles and lists have none. */
function printOtherPages(): void {
  const counts = new Map<string, { pages: number; products: number }>();
  for (const folder of OTHER_FOLDERS)
    for (const entry of readCases(`${folder}/index.json`)) {
      const { html } = decodeBody(bytesOf(folder, entry), 'text/html; charset=utf-8');
      const { product } = readPage({ html, url: textIn(entry, 'url'), content: USUAL_CONTENT, outputs: new Set() });
      const count = counts.get(textIn(entry, 'type')) ?? { pages: 0, products: 0 };
      counts.set(textIn(entry, 'type'), {
        pages: count.pages + 1,
        products: count.products + (product === undefined ? 0 : 1),
      });
    }
  console.log('\nproducts found on pages by their type');
  printTable(
    ['type', 'pages', 'with a product'],
    [...counts].sort().map(([type, { pages, products }]) => [type, String(pages), String(products)]),
  );
}

const OTHER_FOLDERS = ['pages/wcxb', 'pages/wcxb-more'];

const { values } = parseArgs({ options: { misses: { type: 'string' } } });

if (!existsSync(FOLDER)) {
  notMeasured('products', `there are no labelled products at ${FOLDER}`);
} else {
  const pages = labelledProducts();
  printFigures('all sites', pages);
  for (const half of HALVES)
    printFigures(
      `${half} half of the sites`,
      pages.filter((page) => page.half === half),
    );
  if (hasCorpora()) printOtherPages();
  printMisses(pages.filter(({ half }) => half === values.misses || values.misses === 'all'));
}
