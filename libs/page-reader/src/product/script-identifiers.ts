import { type Element, type Page, rawText } from '../tree/page-tree.ts';
import { validGtin, validSku } from './identifiers.ts';
import { CHARS_CAP, SCRIPT_IDENTIFIERS_VALUES_CAP } from './thresholds.ts';

const SKU = /sku["']?\s{0,3}:\s{0,3}(?:["']([^"'\\<>{}]{1,64})["']|(\d{3,20}))/gi;
const GTIN = /(?:gtin|ean|barcode)\d{0,2}["']\s{0,3}:\s{0,3}(?:["'](\d{8,14})["']|(\d{8,14}))(?!\d)/g;

/** Returns the number of a shop that inline scripts name most: that of the product is repeated, those of others differ. */
export const scriptSku = (page: Page): string | undefined => validSku(mostNamed(page, SKU));

/** The same for a GTIN. */
export const scriptGtin = (page: Page): string | undefined => validGtin(mostNamed(page, GTIN));

function mostNamed(page: Page, pattern: RegExp): string | undefined {
  const counts = new Map<string, number>();
  let chars = 0;
  for (const script of page.indexed.scripts) {
    if (chars > CHARS_CAP || isJsonLd(script)) continue;
    const text = rawText(script, CHARS_CAP - chars);
    chars += text.length;
    collect(text, pattern, counts);
  }
  return mostFrequent(counts);
}

/** Returns the value that is named at least twice as often as any other. */
function mostFrequent(counts: ReadonlyMap<string, number>): string | undefined {
  const [first, second] = [...counts].sort(([, a], [, b]) => b - a);
  return first !== undefined && first[1] >= 2 * (second?.[1] ?? 0) ? first[0] : undefined;
}

const isJsonLd = ({ attributes }: Element): boolean => /ld\+json/i.test(attributes['type'] ?? '');

function collect(text: string, pattern: RegExp, counts: Map<string, number>): void {
  for (const [, quoted, plain] of text.matchAll(pattern)) {
    const value = quoted ?? plain;
    if (value === undefined || value.trim() === '') continue;
    counts.set(value.trim(), (counts.get(value.trim()) ?? 0) + 1);
    if (counts.size > SCRIPT_IDENTIFIERS_VALUES_CAP) return;
  }
}
