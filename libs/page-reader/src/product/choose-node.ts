import { type DataNode, nodesOf, nodeTypes, textAt } from './nodes.ts';
import { CHOOSE_NODE_DEPTH_CAP, COMPARED_NAME_CHARS, NODES_CAP } from './thresholds.ts';

/** https://schema.org/Product and its subtypes, and works that are sold: these need offers. */
const PRODUCT_TYPES: ReadonlySet<string> = new Set(
  'product productgroup productmodel individualproduct someproducts vehicle car motorcycle busorcoach motorizedbicycle dietarysupplement drug'.split(
    ' ',
  ),
);
const SOLD_TYPES: ReadonlySet<string> = new Set(
  'book audiobook musicalbum musicrelease videogame game softwareapplication mobileapplication webapplication'.split(
    ' ',
  ),
);

/** Properties that lead to the product of the page. Others lead to related products. */
const PATHS = [
  'mainEntity',
  'mainEntityOfPage',
  'about',
  'item',
  'itemOffered',
  'mainContentOfPage',
  'isVariantOf',
] as const;

/** True for a node that describes something to be bought. */
export function isProduct(node: DataNode): boolean {
  const types = nodeTypes(node);
  if (types.some((type) => PRODUCT_TYPES.has(type))) return true;
  return types.some((type) => SOLD_TYPES.has(type)) && nodesOf(node, 'offers').length > 0;
}

/** Returns the products that nodes describe, without those of lists and of other pages. */
export function productsIn(nodes: readonly DataNode[]): DataNode[] {
  const found = new Set<DataNode>();
  const queue = nodes.slice(0, NODES_CAP).map((node) => ({ node, depth: 0 }));
  // The queue grows while it is read.
  for (const { node, depth } of queue) {
    const asProduct = isOffer(node) ? productOfOffer(node) : node;
    if (isProduct(asProduct)) found.add(asProduct);
    if (depth >= CHOOSE_NODE_DEPTH_CAP) continue;
    for (const inner of PATHS.flatMap((path) => nodesOf(node, path)))
      if (queue.length < NODES_CAP) queue.push({ node: inner, depth: depth + 1 });
  }
  return [...found];
}

const isOffer = (node: DataNode): boolean => nodeTypes(node).includes('offer');

/** Turns an offer that names its product into a product that names its offer. */
function productOfOffer(offer: DataNode): DataNode {
  const [item] = nodesOf(offer, 'itemOffered').filter(isProduct);
  return item === undefined ? offer : { ...item, offers: item['offers'] ?? offer };
}

/** What identifies the product of a page among several. */
export interface PageIdentity {
  readonly url: string;
  readonly canonical: string | undefined;
  /** Titles of the document. */
  readonly titles: readonly string[];
  readonly headings: readonly string[];
}

/**
 * Returns the product that the page is about: the only one, or the one with the page's URL or title. Undefined for a
 * list of products.
 */
export function pageProduct(products: readonly DataNode[], identity: PageIdentity): DataNode | undefined {
  const distinct = mergeVariants(products);
  if (distinct.length < 2) return distinct[0];
  return (
    distinct.find((node) => hasUrl(node, identity) && isTitled(node, identity)) ??
    distinct.find((node) => isTitled(node, identity)) ??
    distinct.find((node) => hasUrl(node, identity))
  );
}

/** Several nodes of one name describe one product: the first, with the offers of all. */
function mergeVariants(products: readonly DataNode[]): DataNode[] {
  const groups = products.filter((node) => nodeTypes(node).includes('productgroup'));
  if (groups.length === 1) return groups;
  const byName = new Map<string, DataNode>();
  for (const node of products) {
    const name = normalized(textAt(node, 'name') ?? '');
    const before = byName.get(name);
    byName.set(name, before === undefined ? node : joined(before, node));
  }
  return [...byName.values()];
}

const joined = (first: DataNode, second: DataNode): DataNode => ({
  ...second,
  ...first,
  offers: [...nodesOf(first, 'offers'), ...nodesOf(second, 'offers')],
});

const normalized = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

function isTitled(node: DataNode, { titles, headings }: PageIdentity): boolean {
  const name = normalized(textAt(node, 'name') ?? '');
  return name.length > 2 && [...headings, ...titles].some((title) => isAlike(normalized(title), name));
}

const isAlike = (title: string, name: string): boolean =>
  title === name ||
  (title.length > COMPARED_NAME_CHARS &&
    name.length > COMPARED_NAME_CHARS &&
    (title.includes(name) || name.includes(title)));

function hasUrl(node: DataNode, { url, canonical }: PageIdentity): boolean {
  const own = [url, canonical].flatMap((link) => (link === undefined ? [] : [pathOf(link, url)]));
  const offers = nodesOf(node, 'offers');
  return [node, ...offers]
    .flatMap((each) => [each['url'], each['@id']])
    .some((link) => typeof link === 'string' && own.includes(pathOf(link, url)));
}

function pathOf(link: string, base: string): string {
  const parsed = URL.parse(link.slice(0, 2_000), base);
  return parsed === null || parsed.pathname === '/' ? link : parsed.pathname.replace(/\/$/, '').toLowerCase();
}
