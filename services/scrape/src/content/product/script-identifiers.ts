import { type Element, type Page, rawText } from '../tree/page-tree.ts';
import { validGtin, validSku } from './identifiers.ts';

/** Characters of scripts that are searched. */
const CHARS_CAP = 2_000_000;
const VALUES_CAP = 200;

/** Identifiers in the data that a page gives to its scripts. */
export interface ScriptIdentifiers {
  readonly sku: string | undefined;
  readonly gtin: string | undefined;
}

const SKU = /["']?\b(?:sku|product_?sku|productSKU)["']?\s*:\s*(?:["']([^"'\\<>{}]{1,64})["']|(\d{3,20}))/gi;
const GTIN = /["']?\b(?:gtin\d{0,2}|ean\d{0,2}|upc|barcode)["']?\s*:\s*(?:["'](\d{8,14})["']|(\d{8,14}))(?!\d)/gi;

/** Returns the identifiers that inline scripts name most: those of the product are repeated, those of other products differ. */
export function scriptIdentifiers(page: Page): ScriptIdentifiers {
  const skus = new Map<string, number>();
  const gtins = new Map<string, number>();
  let chars = 0;
  for (const script of page.indexed.scripts) {
    if (chars > CHARS_CAP || isJsonLd(script)) continue;
    const text = rawText(script, CHARS_CAP - chars);
    chars += text.length;
    collect(text, SKU, skus);
    collect(text, GTIN, gtins);
  }
  return { sku: validSku(mostNamed(skus)), gtin: validGtin(mostNamed(gtins)) };
}

/** Returns the value that is named at least twice as often as any other. */
function mostNamed(counts: ReadonlyMap<string, number>): string | undefined {
  const [first, second] = [...counts].sort(([, a], [, b]) => b - a);
  return first !== undefined && first[1] >= 2 * (second?.[1] ?? 0) ? first[0] : undefined;
}

const isJsonLd = ({ attributes }: Element): boolean => /ld\+json/i.test(attributes['type'] ?? '');

function collect(text: string, pattern: RegExp, counts: Map<string, number>): void {
  for (const [, quoted, plain] of text.matchAll(pattern)) {
    const value = quoted ?? plain;
    if (value === undefined || value.trim() === '') continue;
    counts.set(value.trim(), (counts.get(value.trim()) ?? 0) + 1);
    if (counts.size > VALUES_CAP) return;
  }
}
