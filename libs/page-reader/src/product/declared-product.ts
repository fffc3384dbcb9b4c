import { decodeHTML } from 'entities';
import { declaredAmount } from './amounts.ts';
import { declaredAvailability } from './availability.ts';
import { declaredCurrency, type Locale } from './currencies.ts';
import { validBrand, validGtin, validSku } from './identifiers.ts';
import { type DataNode, localName, nodesOf, nodeTypes, textAt, valuesOf } from './nodes.ts';
import { type Availability, isInStock, type ProductData } from './product.ts';
import { DECLARED_PRODUCT_DEPTH_CAP } from './thresholds.ts';

/** One price of a product with its conditions. */
interface Offer {
  readonly price: number | undefined;
  readonly priceHigh: number | undefined;
  readonly regularPrice: number | undefined;
  readonly currency: string | undefined;
  readonly availability: Availability | undefined;
  readonly sku: string | undefined;
  readonly gtin: string | undefined;
}

/** Reads a node of type Product or ProductGroup: https://developers.google.com/search/docs/appearance/structured-data/product */
export function declaredProduct(node: DataNode, locale: Locale): ProductData {
  const own = offersOf(node, locale, 0);
  const variants = own.some(({ price }) => price !== undefined) ? [] : nodesOf(node, 'hasVariant');
  const offers = [...own, ...variants.flatMap((variant) => offersOf(variant, locale, 0))];
  const sku = skuOf(node);
  const offer = offerOf(offers, sku);
  const gtin = gtinOf(node);
  const highs = offers.flatMap(({ price, priceHigh }) => [price, priceHigh]).filter((amount) => amount !== undefined);
  const isOneVariant = sku !== undefined && offer?.sku === sku && offers.length > 1;
  return {
    name: plain(textAt(node, 'name')),
    price: offer?.price,
    priceHigh: isOneVariant ? undefined : higher(Math.max(...highs), offer?.price),
    regularPrice: higher(offer?.regularPrice, offer?.price),
    currency: offer?.currency ?? declaredCurrency(textAt(node, 'priceCurrency'), locale),
    availability: availabilityOf(offer, offers) ?? declaredAvailability(textAt(node, 'availability')),
    sku: sku ?? offer?.sku ?? identifierOf(node),
    gtin: gtin ?? offer?.gtin,
    brand: brandOf(node),
  };
}

const higher = (amount: number | undefined, price: number | undefined): number | undefined =>
  amount !== undefined && price !== undefined && Number.isFinite(amount) && amount > price ? amount : undefined;

/** Returns the offer of the product's own number, else the cheapest that can be had, else the cheapest. */
function offerOf(offers: readonly Offer[], sku: string | undefined): Offer | undefined {
  const priced = offers.filter(({ price }) => price !== undefined);
  if (priced.length === 0) return offers[0];
  const own = sku === undefined ? undefined : priced.find((offer) => offer.sku === sku);
  if (own !== undefined) return own;
  const had = priced.filter(({ availability }) => isInStock(availability) !== false);
  return (had.length > 0 ? had : priced).reduce((best, offer) =>
    (offer.price ?? 0) < (best.price ?? 0) ? offer : best,
  );
}

/** The availability of the chosen offer; a product of several offers can be had where one of them can. */
function availabilityOf(offer: Offer | undefined, offers: readonly Offer[]): Availability | undefined {
  return offer?.availability ?? offers.find(({ availability }) => availability !== undefined)?.availability;
}

const OFFER_KEYS = ['offers', 'offer', 'makesOffer', 'hasOffer'] as const;

function offersOf(node: DataNode, locale: Locale, depth: number): Offer[] {
  const nodes = OFFER_KEYS.flatMap((key) => nodesOf(node, key));
  // A price beside the name, as microdata without an Offer have it.
  if (nodes.length === 0) return textAt(node, 'price') === undefined ? [] : [offerAt(node, locale)];
  return nodes.flatMap((offer) => {
    const inner = depth < DECLARED_PRODUCT_DEPTH_CAP ? offersOf(offer, locale, depth + 1) : [];
    const read = offerAt(offer, locale);
    const hasOwn = read.price !== undefined || inner.length === 0;
    return hasOwn ? [read] : inner.map((each) => ({ ...each, availability: each.availability ?? read.availability }));
  });
}

const isAggregate = (offer: DataNode): boolean => nodeTypes(offer).includes('aggregateoffer');

function offerAt(offer: DataNode, locale: Locale): Offer {
  const specifications = nodesOf(offer, 'priceSpecification');
  const current = specifications.find((each) => !isFormerPrice(each) && !isPartPrice(each));
  const currency = [offer, ...specifications]
    .map((each) => declaredCurrency(currencyTextOf(each), locale))
    .find(Boolean);
  const amount = (node: DataNode | undefined, key: string): number | undefined =>
    node === undefined ? undefined : lowestAmount(valuesOf(node, key), currency);
  const low = amount(offer, 'lowPrice') ?? amount(current, 'minPrice');
  const stated = amount(offer, 'price') ?? amount(current, 'price');
  const [price, fallback] = isAggregate(offer) ? [low, stated] : [stated, low];
  return {
    // Zero stands for an unknown price in many shops.
    price: positive(price) ?? positive(fallback) ?? price,
    priceHigh: amount(offer, 'highPrice') ?? amount(current, 'maxPrice'),
    regularPrice: amount(specifications.find(isFormerPrice), 'price'),
    currency,
    availability: declaredAvailability(textAt(offer, 'availability')),
    sku: skuOf(offer) ?? nodesOf(offer, 'itemOffered').map(skuOf).find(Boolean),
    gtin: gtinOf(offer) ?? nodesOf(offer, 'itemOffered').map(gtinOf).find(Boolean),
  };
}

const positive = (amount: number | undefined): number | undefined => (amount === 0 ? undefined : amount);

const currencyTextOf = (node: DataNode): string | undefined =>
  textAt(node, 'priceCurrency') ?? textAt(node, 'currency');

function lowestAmount(values: readonly unknown[], currency: string | undefined): number | undefined {
  const amounts = values.map((value) => declaredAmount(value, currency)).filter((amount) => amount !== undefined);
  return amounts.length === 0 ? undefined : Math.min(...amounts);
}

/** https://schema.org/PriceTypeEnumeration */
const FORMER_TYPES = new Set(['listprice', 'strikethroughprice', 'srp', 'msrp', 'regularprice']);
const isFormerPrice = (specification: DataNode): boolean =>
  FORMER_TYPES.has(localName(textAt(specification, 'priceType') ?? ''));

/** True for a price per unit, of delivery or of a part. */
function isPartPrice(specification: DataNode): boolean {
  const types = nodeTypes(specification);
  if (types.includes('deliverychargespecification') || types.includes('paymentchargespecification')) return true;
  return types.includes('unitpricespecification') && nodesOf(specification, 'referenceQuantity').length > 0;
}

const skuOf = (node: DataNode): string | undefined => validSku(textAt(node, 'sku'));

const identifierOf = (node: DataNode): string | undefined =>
  validSku(textAt(node, 'productID')?.replace(/^(?:sku|mpn|id|isbn|upc|ean|asin)\s*:\s*/i, '')) ??
  validSku(textAt(node, 'identifier'));

const GTIN_KEYS = ['gtin13', 'gtin', 'gtin14', 'gtin12', 'gtin8', 'ean', 'isbn'] as const;

function gtinOf(node: DataNode): string | undefined {
  for (const key of GTIN_KEYS) {
    const found = validGtin(textAt(node, key)?.replace(/^(?:isbn|ean|gtin|upc)\s*:?\s*/i, ''));
    if (found !== undefined) return found;
  }
  return undefined;
}

const brandOf = (node: DataNode): string | undefined =>
  validBrand(plain(textAt(node, 'brand'))) ?? validBrand(plain(textAt(node, 'manufacturer')));

/** Shops write markup's references into data: `L&#8217;Oréal`. */
const plain = (text: string | undefined): string | undefined =>
  text?.includes('&') ? decodeHTML(decodeHTML(text)) : text;
