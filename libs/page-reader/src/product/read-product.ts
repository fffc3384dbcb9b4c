import type { HeadData } from '../head/read-head.ts';
import { declaresArticle } from '../main/declared-article.ts';
import { Hint } from '../tree/name-hints.ts';
import { type Page, rawText, visibleLine } from '../tree/page-tree.ts';
import { type PageIdentity, pageProduct, productsIn } from './choose-node.ts';
import type { Locale } from './currencies.ts';
import { declaredProduct } from './declared-product.ts';
import { mergeSources, type SourceData } from './merge-sources.ts';
import { microdataNodes } from './microdata.ts';
import type { DataNode } from './nodes.ts';
import { isOpenGraphProduct, openGraphProduct, productMetas } from './open-graph.ts';
import type { Product, ProductData } from './product.ts';
import { rdfaNodes } from './rdfa.ts';
import { scriptGtin, scriptSku } from './script-identifiers.ts';
import { MIN_ADDED_SCORE, MIN_COMPARED_SCORE, MIN_SCORE } from './thresholds.ts';
import { urlIdentifier } from './url-identifier.ts';
import { type VisibleProduct, visibleProduct } from './visible-product.ts';

/** What a product is read from. */
export interface ProductPage {
  readonly page: Page;
  readonly head: HeadData;
  /** URL after redirects. */
  readonly url: string;
}

/**
 * Returns the product that a page is about, from its structured data and from what it shows; undefined for a page
 * without a product, which includes lists of products. Pages without signs of a product cost next to nothing.
 */
export function readProduct({ page, head, url }: ProductPage): Product | undefined {
  const metas = productMetas(page);
  const declared = declaredNodes(page, head);
  const hasMetas = isOpenGraphProduct(metas);
  if (declared.every(({ products }) => products.length === 0) && !hasMetas && !isShop(page)) return undefined;
  if (declared.every(({ products }) => products.length === 0) && declaresArticle(head)) return undefined;
  const locale = { language: head.language, url };
  const identity = identityOf(page, head, url);
  const sources: SourceData[] = declared.flatMap(({ source, products }) => {
    const node = pageProduct(products, identity);
    return node === undefined ? [] : [{ source, data: declaredProduct(node, locale) }];
  });
  if (sources.length === 0 && declared.some(({ products }) => products.length > 1)) return undefined;
  if (hasMetas) sources.push({ source: 'open_graph', data: openGraphProduct(metas, locale) });
  return withPage(page, sources, identity, locale);
}

const SHOP = Hint.price | Hint.cart;
const isShop = ({ hints }: Page): boolean => (hints & SHOP) === SHOP;

interface DeclaredNodes {
  readonly source: 'json_ld' | 'microdata' | 'rdfa';
  readonly products: readonly DataNode[];
}

function declaredNodes(page: Page, head: HeadData): DeclaredNodes[] {
  return [
    { source: 'json_ld', products: productsIn(head.jsonLd) },
    { source: 'microdata', products: productsIn(microdataNodes(page)) },
    { source: 'rdfa', products: productsIn(rdfaNodes(page)) },
  ];
}

function identityOf(page: Page, head: HeadData, url: string): PageIdentity {
  const headings = page.indexed.headings.slice(0, 5).map((heading) => visibleLine(heading, 300));
  const document = page.indexed.titles[0];
  const declared = [head.title, head.og['title'], document && rawText(document, 500)];
  const titles = declared.filter((title) => title !== undefined && title !== '');
  return { url, canonical: head.canonical, titles: titles.filter((title) => title !== undefined), headings };
}

function withPage(
  page: Page,
  declared: readonly SourceData[],
  identity: PageIdentity,
  locale: Locale,
): Product | undefined {
  const names = [...declared.flatMap(({ data }) => (data.name === undefined ? [] : [data.name])), ...identity.titles];
  const prices = new Set(declared.flatMap(({ data }) => (data.price === undefined ? [] : [data.price])));
  const shown = visibleProduct(page, { names, prices }, locale);
  if (!declared.some(isOffered) && !isProductPage(shown)) return undefined;
  const product = mergeSources([
    ...declared,
    { source: 'page', data: shown.priceScore >= minScore(declared) ? shown : withoutPrice(shown) },
  ]);
  return product && { ...product, ...identifiersOf(page, product, shown, identity) };
}

/** Data that name a product and nothing of it are those of lists and services too. */
const isOffered = ({ data }: SourceData): boolean =>
  data.price !== undefined || data.availability !== undefined || data.sku !== undefined || data.gtin !== undefined;

/** A page whose data have a price needs a certain one to be compared with it. */
const minScore = (declared: readonly SourceData[]): number =>
  declared.some(({ data }) => data.price !== undefined) ? MIN_COMPARED_SCORE : MIN_ADDED_SCORE;

const withoutPrice = (shown: VisibleProduct): ProductData => ({
  ...shown,
  price: undefined,
  priceHigh: undefined,
  regularPrice: undefined,
  currency: undefined,
});

/** True for a page that sells something under its title, or that states that it can not be had. */
function isProductPage({ isForSale, priceScore, isUnavailable, sku, brand }: VisibleProduct): boolean {
  if (isForSale && priceScore >= MIN_SCORE) return true;
  return isUnavailable && (sku !== undefined || brand !== undefined);
}

/** The number that a shop shows is the one that its customers use; numbers in data are often those of variants. */
function identifiersOf(
  page: Page,
  product: Product,
  shown: VisibleProduct,
  { url, canonical }: PageIdentity,
): Pick<Product, 'sku' | 'gtin'> {
  const numberInUrl = () => urlIdentifier(canonical ?? url) ?? urlIdentifier(url);
  return {
    sku: shown.sku ?? product.sku ?? scriptSku(page) ?? shown.model ?? numberInUrl(),
    gtin: product.gtin ?? scriptGtin(page),
  };
}
