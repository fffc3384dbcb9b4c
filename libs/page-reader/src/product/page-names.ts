import { NAME_CHARS, NAME_LENGTH, NAMES_CAP } from './thresholds.ts';
/** What contains a line, as bits. */
export const Place = {
  /** Menus, footers, asides, dialogs, reviews, and boxes that name other products. */
  elsewhere: 1,
  /** A link to another page. */
  link: 2,
  /** A box whose name indicates a price. */
  price: 4,
  /** A button, or a link that looks like one. */
  control: 8,
  disabled: 16,
  heading: 32,
  /** Delivery, payment plans, memberships and other amounts that are no price. */
  otherAmount: 64,
  /** A former price. Applies to the element alone. */
  former: 128,
  /** Decimals of a price, or the digits before them. Apply to the element alone. */
  decimals: 256,
  digits: 512,
} as const;

/** Names of classes and ids, in small letters, with what they indicate. */
const NAMES: readonly (readonly [pattern: RegExp, place: number])[] = [
  [
    /related|recommend|similar|upsell|up-sell|cross-?sell|carousel|slick|swiper|also-?(?:bought|view|like)|recently|sponsored|mini-?(?:cart|basket)|cart-?(?:drawer|summary|content|modal|total|popup)|breadcrumb|compar(?:e|ison)|bundle|together|accessor(?:y|ies)|zubehoer|history|newsletter|mega-?menu|main-?menu|product-?(?:list|grid|card|tile)s?(?![a-z])/,
    Place.elsewhere,
  ],
  [
    /shipping|delivery|versand|livraison|envio|postage|install?ment|finance|financing|monthly|cuotas|klarna|afterpay|paypal|affirm|warrant|garantie|insurance|trade-?in|saving|discount|coupon|voucher|cashback|loyalty|points|reward|prime|unit-?price|price-?(?:per|unit)|per-?unit|basis-?price|grundpreis/,
    Place.otherAmount,
  ],
  [/(?:^|[\s_-])(?:btn|button)(?=$|[\s_-])/, Place.control],
  [/disabled|sold-?out/, Place.disabled],
  [
    /(?:^|[\s_-])(?:was|strike\w*|line-?through|crossed(?:-?out)?|rrp|msrp|uvp|pvpr|compare-?at|(?:old|was|before|former|previous|regular|original|normal|list|retail|full|market|standard|initial|ancien|barre|strike|crossed)[-_]*(?:price|preis|prix|precio|preco|prezzo|cena)s?|(?:price|preis|prix|precio|preco|prezzo|cena)s?[-_]*(?:old|was|before|former|previous|regular|original|rrp|msrp|retail|strike\w*|crossed))(?=$|[\s_-])/,
    Place.former,
  ],
  [/cent|decimal|fraction|minor|kop|penny|pence|small/, Place.decimals],
  [/fraction|whole|integer|digit/, Place.digits],
];

const seen = new Map<string, number>();

/** Returns what a class or id indicates. The bits of a name depend on its spelling alone. */
export function placeOfName(name: string | undefined): number {
  if (name === undefined || name.length < NAME_LENGTH) return 0;
  const known = seen.get(name);
  if (known !== undefined) return known;
  const lower = name.slice(0, NAME_CHARS).toLowerCase();
  let place = 0;
  for (const [pattern, bits] of NAMES) if (pattern.test(lower)) place |= bits;
  if (name.length > NAME_CHARS) return place;
  if (seen.size >= NAMES_CAP) seen.clear();
  // A copy: the name is a part of the page's text, which would stay in memory with it.
  seen.set(Buffer.from(name).toString(), place);
  return place;
}
