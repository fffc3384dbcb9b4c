import { type Element, isWithin, type Page } from '../tree/page-tree.ts';
import { type JsonObject, typesOf } from './json-ld.ts';
import type { HeadData } from './read-head.ts';
import { HEADINGS_CAP, PROPERTIES_CAP } from './thresholds.ts';

/** https://schema.org/Product and https://schema.org/ProductGroup, in any case. */
const PRODUCT_TYPE = /(?:^|\/)product(?:group)?$/i;
/** https://ogp.me/#types and the types of vendors: `product`, `product.item`, `vendor:product`, `vendor:item`. */
const OPEN_GRAPH_TYPE = /(?:^|:)(?:product|product\.item|item)$/i;

/** True for a page whose metadata, structured data or microdata declare a product. */
export const declaresProduct = (page: Page, head: HeadData): boolean =>
  OPEN_GRAPH_TYPE.test(head.og['type'] ?? '') || head.jsonLd.some(isProduct) || holdsHeadline(page);

/** True for a page that offers one product: its structured data give the offer, or its microdata hold the headline. */
export const offersProduct = (page: Page, { jsonLd }: HeadData): boolean =>
  jsonLd.filter((node) => isProduct(node) && node['offers'] !== undefined).length === 1 || holdsHeadline(page);

const isProduct = (node: JsonObject): boolean => typesOf(node).some((type) => PRODUCT_TYPE.test(type));

/** True if microdata declare one product around a heading of the first level. A page also declares other products. */
function holdsHeadline({ indexed }: Page): boolean {
  const items = new Set<Element>();
  for (const property of indexed.microdata.slice(0, PROPERTIES_CAP)) {
    const item = outermostProduct(property);
    if (item) items.add(item);
  }
  const [item, ...others] = items;
  if (!item || others.length > 0) return false;
  return indexed.headings.slice(0, HEADINGS_CAP).some((heading) => heading.words > 0 && isWithin(heading, item));
}

/** Returns the outermost product of microdata around a property. */
function outermostProduct(property: Element): Element | undefined {
  let outermost: Element | undefined;
  for (let item: Element | undefined = property; item; item = item.parent)
    if (PRODUCT_TYPE.test(item.attributes['itemtype'] ?? '')) outermost = item;
  return outermost;
}
