import { isInStock, type Product, type ProductConflict, type ProductData, type ProductSource } from './product.ts';

/** Values of one source. */
export interface SourceData {
  readonly source: ProductSource;
  readonly data: ProductData;
}

type Key = Exclude<keyof ProductData, 'name'>;

/** Merges sources in their order: each value is that of the first source that has it. Undefined if none has a value. */
export function mergeSources(sources: readonly SourceData[]): Product | undefined {
  const first = <K extends Key>(key: K): SourceData | undefined => sources.find(({ data }) => data[key] !== undefined);
  const priced = agreedPrice(sources) ?? firstPriced(sources);
  const origin = priced ?? first('availability') ?? first('sku') ?? first('gtin') ?? first('brand');
  if (origin === undefined) return undefined;
  const availability = first('availability')?.data.availability;
  return {
    price: priced?.data.price,
    priceHigh: priced?.data.priceHigh,
    regularPrice: priced?.data.regularPrice ?? regularPriceOf(sources, priced?.data.price),
    currency: priced?.data.currency ?? first('currency')?.data.currency,
    availability,
    inStock: isInStock(availability),
    sku: first('sku')?.data.sku,
    gtin: first('gtin')?.data.gtin,
    brand: first('brand')?.data.brand,
    source: origin.source,
    conflict: conflictsOf(sources),
  };
}

/** Metadata for previews often lack taxes or reductions, so that a price of the page precedes them. */
function firstPriced(sources: readonly SourceData[]): SourceData | undefined {
  const priced = sources.filter(({ data }) => data.price !== undefined);
  return priced.find(({ source }) => source !== 'open_graph') ?? priced[0];
}

/** Where the page and a declared source agree on another price than the first source, that of the first is out of date. */
function agreedPrice(sources: readonly SourceData[]): SourceData | undefined {
  const page = sources.find(({ source }) => source === 'page')?.data.price;
  return page === undefined ? undefined : sources.find(({ source, data }) => source !== 'page' && data.price === page);
}

/** A former price of another source counts if that source has the same price. */
const regularPriceOf = (sources: readonly SourceData[], price: number | undefined): number | undefined =>
  sources.find(({ data }) => data.price === price && data.regularPrice !== undefined)?.data.regularPrice;

function conflictsOf(sources: readonly SourceData[]): ProductConflict[] {
  const data = sources.map((source) => source.data);
  const conflicts: ProductConflict[] = [];
  if (differ(data, arePricesCompatible)) conflicts.push('price');
  if (new Set(data.map(({ currency }) => currency).filter(Boolean)).size > 1) conflicts.push('currency');
  if (new Set(data.map(({ availability }) => isInStock(availability)).filter((value) => value !== undefined)).size > 1)
    conflicts.push('availability');
  return conflicts;
}

const differ = (data: readonly ProductData[], agree: (a: ProductData, b: ProductData) => boolean): boolean =>
  data.some((a, at) => data.slice(at + 1).some((b) => !agree(a, b)));

/** A price within the range of the other source, or its price of another currency, is no conflict. */
function arePricesCompatible(a: ProductData, b: ProductData): boolean {
  if (a.price === undefined || b.price === undefined || a.price === b.price) return true;
  if (a.currency !== undefined && b.currency !== undefined && a.currency !== b.currency) return true;
  const isIn = (price: number, { price: low = 0, priceHigh = low }: ProductData): boolean =>
    price >= low && price <= priceHigh;
  return isIn(a.price, b) || isIn(b.price, a);
}
