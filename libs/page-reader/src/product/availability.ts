import { localName } from './nodes.ts';
import type { Availability } from './product.ts';
import { AVAILABILITIES } from './product.ts';

const BY_NAME: ReadonlyMap<string, Availability> = new Map([
  ...AVAILABILITIES.map((name): [string, Availability] => [name.toLowerCase(), name]),
  // https://developers.facebook.com/docs/marketing-api/catalog and other spellings that shops use
  ['available', 'InStock'],
  ['availablefororder', 'InStock'],
  ['instoreandonline', 'InStock'],
  ['yes', 'InStock'],
  ['true', 'InStock'],
  ['1', 'InStock'],
  ['limitedstock', 'LimitedAvailability'],
  ['lowstock', 'LimitedAvailability'],
  ['oos', 'OutOfStock'],
  ['notavailable', 'OutOfStock'],
  ['unavailable', 'OutOfStock'],
  ['nostock', 'OutOfStock'],
  ['no', 'OutOfStock'],
  ['false', 'OutOfStock'],
  ['0', 'OutOfStock'],
  ['pending', 'PreOrder'],
  ['availableforpreorder', 'PreOrder'],
]);

/** Returns the availability that structured data declare: a schema.org value in any case, with or without its URL. */
export function declaredAvailability(text: string | undefined): Availability | undefined {
  return text === undefined ? undefined : BY_NAME.get(localName(text).replace(/[\s_-]/g, ''));
}
