import type { Element, Page } from '../tree/page-tree.ts';
import { walk } from '../tree/page-tree.ts';
import { propertyValue } from './microdata.ts';
import { type DataNode, nodesOf, nodeTypes, textAt, valuesOf } from './nodes.ts';
import { ELEMENTS_CAP } from './thresholds.ts';

/**
 * Returns the typed things of a page as nodes: RDFa Lite (https://www.w3.org/TR/rdfa-lite/) and chains by `rel`, in the
 * vocabularies schema.org and GoodRelations.
 */
export function rdfaNodes(page: Page): DataNode[] {
  if (page.indexed.typed.length === 0) return [];
  const nodes = new Map<Element, DataNode>(
    page.indexed.typed.map((element) => [
      element,
      { '@type': (element.attributes['typeof'] ?? '').slice(0, 300).split(/\s+/) },
    ]),
  );
  let elements = 0;
  const owned = new Set<Element>();
  walk(page.body, (element) => {
    elements++;
    if (elements > ELEMENTS_CAP) return false;
    const names = propertiesOf(element);
    if (names.length === 0) return true;
    const owner = ownerOf(element, nodes);
    if (owner === undefined) return true;
    const typed = nodes.get(element);
    if (typed !== undefined) owned.add(element);
    const value = typed ?? propertyValue(element);
    if (value !== '') for (const name of names) append(owner, name, value);
    return true;
  });
  return [...nodes].filter(([element]) => !owned.has(element)).map(([, node]) => withSchemaNames(node));
}

/** Properties of an element, and of the chain that the nearest element with `rel` starts, without prefixes. */
function propertiesOf(element: Element): string[] {
  const { property } = element.attributes;
  const own = property ?? (element.attributes['typeof'] === undefined ? resourceLink(element) : chainOf(element));
  return (own ?? '')
    .slice(0, 300)
    .trim()
    .split(/\s+/)
    .map((name) => name.replace(/^.*[/#:]/, ''))
    .filter((name) => name !== '' && name !== '__proto__' && !name.startsWith('@'));
}

/** `<link rel="schema:availability" href="…">` and the like; plain link types are no properties. */
function resourceLink({ attributes }: Element): string | undefined {
  const { rel, href } = attributes;
  return href !== undefined && rel?.includes(':') ? rel : undefined;
}

function chainOf(element: Element): string | undefined {
  if (element.attributes['rel'] !== undefined) return element.attributes['rel'];
  for (let up = element.parent; up && up.attributes['typeof'] === undefined; up = up.parent)
    if (up.attributes['rel'] !== undefined) return up.attributes['rel'];
  return undefined;
}

function ownerOf(element: Element, nodes: ReadonlyMap<Element, DataNode>): DataNode | undefined {
  for (let up = element.parent; up; up = up.parent) {
    const node = nodes.get(up);
    if (node !== undefined) return node;
  }
  return undefined;
}

function append(node: DataNode, name: string, value: unknown): void {
  const values = node[name];
  if (Array.isArray(values)) values.push(value);
  else node[name] = [value];
}

/** GoodRelations: http://purl.org/goodrelations/v1 */
function withSchemaNames(node: DataNode): DataNode {
  if (!nodeTypes(node).includes('offering')) return node;
  const [item = {}] = nodesOf(node, 'includes');
  const prices = nodesOf(node, 'hasPriceSpecification').filter(
    (price) => !nodeTypes(price).includes('deliverychargespecification'),
  );
  const offers = prices.map((price) => ({
    '@type': 'Offer',
    price: valuesOf(price, 'hasCurrencyValue'),
    lowPrice: valuesOf(price, 'hasMinCurrencyValue'),
    highPrice: valuesOf(price, 'hasMaxCurrencyValue'),
    priceCurrency: valuesOf(price, 'hasCurrency'),
    availability: valuesOf(node, 'availability'),
  }));
  const either = (name: string): string | undefined => textAt(node, name) ?? textAt(item, name);
  return {
    '@type': 'Product',
    name: either('name'),
    sku: either('hasStockKeepingUnit'),
    gtin13: either('hasEAN_UCC-13') ?? either('hasGTIN-14'),
    brand: either('hasBrand') ?? either('hasManufacturer'),
    offers,
  };
}
