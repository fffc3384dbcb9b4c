import { validBrand, validGtin, validSku } from './identifiers.ts';
import type { PageLine } from './page-lines.ts';
import { Place } from './page-names.ts';
import {
  BRAND_WORDS,
  LABEL_WORDS,
  LABELLED_IDENTIFIERS_LABEL_CHARS,
  LABELLED_IDENTIFIERS_LINE_CHARS,
  LABELLED_IDENTIFIERS_LINES_BEFORE,
  LABELLED_IDENTIFIERS_VALUE_CHARS,
  NUMBER_CHARS,
} from './thresholds.ts';

/** Identifiers that a page shows beside their names. */
export interface LabelledIdentifiers {
  /** A number of the shop. */
  readonly sku: string | undefined;
  /** A number of the maker. */
  readonly model: string | undefined;
  readonly gtin: string | undefined;
  readonly brand: string | undefined;
}

/** In the order of preference: numbers of the shop before those of the maker. */
const SKU_LABELS: readonly RegExp[] = [
  /^(?:sku|asin|(?:web |shop )?id|item (?:no|nr|num|number|code|id|#)|product (?:no|nr|number|code|id|ref)|(?:product|item)? ?reference|cat(?:alog(?:ue)?)?\.? ?(?:no|number|#)|stock (?:no|number|code)|part (?:no|number)|order (?:no|number|code)|lot (?:no|number)|listing id|ad id|(?:\w+ )?(?:item|article) (?:no|number)|style (?:no|number|code)?|model code)\.?$/,
  /^(?:art(?:ikel|icle|\.)?[ .-]*(?:nr|no|nummer|num|number|n°|id)|best(?:ell)?[ .-]*(?:nr|nummer)|produkt[ .-]*(?:nr|nummer|code|id)|varenr|varenummer|tuotenumero|tuotekoodi|artnr|bestelnummer|productcode)\.?$/,
  /^(?:réf(?:érence)?|ref|réf\.? ?(?:produit|article)|n° d.article|code (?:article|produit)|referencia|referência|código(?: (?:de (?:producto|artículo|referencia)|do produto|produto))?|cód|codice(?: (?:prodotto|articolo))?|rif|n(?:ú|u)mero (?:de )?(?:artículo|artigo|do artigo|oggetto)|numero oggetto|numéro de l.objet)\.?$/,
  /^(?:kod(?: (?:produktu|towaru|artykułu))?|nr (?:kat|katalogowy|artykułu)|indeks|kód(?: (?:produktu|tovaru|zboží))?|obj(?:ednací)?\.? (?:kód|číslo)|katalogové číslo|cikkszám|termékkód|cod(?: produs)?|šifra|артикул|код(?: товара)?|код на продукта|ürün kodu|stok kodu|κωδικός(?: προϊόντος)?)\.?$/u,
  /^(?:رقم (?:المنتج|الصنف)|מק"?ט|商品番号|品番|商品コード|货号|商品编号|貨號|商品編號|.*(?:상품|제품|품목|딜) ?(?:번호|코드)|รหัสสินค้า|mã (?:sp|sản phẩm|hàng)|kode produk)$/u,
];
const MODEL_LABEL =
  /^(?:(?:item )?model|(?:item )?model (?:no|nr|number)|mpn|modell?(?:nummer|nr)?|modèle|modelo|herstellernummer|manufacturer part number)\.?$/;
const GTIN_LABEL =
  /^(?:gtin|ean|upc|isbn|jan|barcode|strichcode|code[- ]barres|código de barras|codice a barre|штрих-?код)(?:[- ]?(?:8|10|12|13|14|nr|code|nummer|number|no))?\.?$/u;
const BRAND_LABEL =
  /^(?:brand|brand name|marke|hersteller|marque|marca|merk|märke|merke|mærke|tuotemerkki|marka|značka|márka|бренд|марка|производитель|manufacturer|maker|producent|výrobce|fabricante|fabricant|produttore|ブランド|メーカー|品牌|브랜드)$/u;

/** A number of the shop, and the index of its label in `SKU_LABELS`. */
interface RankedSku {
  readonly rank: number;
  readonly value: string;
}

/** Returns the identifiers that lines state: `SKU: 123`, or a label and its value on the next line or in the next cell. */
export function labelledIdentifiers(lines: readonly PageLine[], title: number): LabelledIdentifiers {
  let sku: RankedSku | undefined;
  const found: { model?: string | undefined; gtin?: string | undefined; brand?: string | undefined } = {};
  for (const { label: spelled, value } of statementsAfter(lines, title - LABELLED_IDENTIFIERS_LINES_BEFORE)) {
    const label = spelled.toLowerCase();
    sku = preferredSku(sku, label, value);
    if (MODEL_LABEL.test(label)) found.model ??= skuIn(value);
    if (GTIN_LABEL.test(label)) found.gtin ??= validGtin(value.split(/[\s,;]/)[0]) ?? validGtin(value);
    if (BRAND_LABEL.test(label)) found.brand ??= value.split(' ').length <= BRAND_WORDS ? validBrand(value) : undefined;
  }
  return { sku: sku?.value, model: found.model, gtin: found.gtin, brand: found.brand };
}

/** Returns the number that a line states if its label has a lower rank than the one found before. */
function preferredSku(before: RankedSku | undefined, label: string, value: string): RankedSku | undefined {
  const rank = SKU_LABELS.findIndex((pattern) => pattern.test(label));
  if (rank === -1 || (before !== undefined && rank >= before.rank)) return before;
  const number = skuIn(value);
  return number === undefined ? before : { rank, value: number };
}

function* statementsAfter(lines: readonly PageLine[], from: number): Generator<Statement> {
  for (const [index, line] of lines.entries())
    if (index >= from && (line.place & Place.elsewhere) === 0) yield* statementsOf(line, lines[index + 1]);
}

interface Statement {
  readonly label: string;
  readonly value: string;
}

const ENDS_WITH_NUMBER = / \S*\d\S*$/;

function statementsOf({ text }: PageLine, next: PageLine | undefined): Statement[] {
  if (text.length > LABELLED_IDENTIFIERS_LINE_CHARS) return [];
  const found: Statement[] = [];
  for (const part of text.split(/\s*[|•·;]\s*/)) {
    for (const { index } of part.matchAll(/[:：#]|\s[-–—]\s/g))
      found.push(...labelled(part.slice(0, index), part.slice(index + 1)));
    const spaced =
      ENDS_WITH_NUMBER.test(part) && /(?:^|\s)(\p{L}[\p{L}.°]{1,20}(?: \p{L}[\p{L}.°]{1,12})?) (\S*\d\S*)$/u.exec(part);
    if (spaced && spaced[1] !== undefined && spaced[2] !== undefined) found.push(...labelled(spaced[1], spaced[2]));
  }
  if (
    text.length <= LABELLED_IDENTIFIERS_LABEL_CHARS &&
    next !== undefined &&
    next.text.length <= LABELLED_IDENTIFIERS_VALUE_CHARS
  )
    found.push({ label: labelText(text), value: withoutMarks(next.text) });
  return found;
}

function labelled(before: string, after: string): Statement[] {
  const value = withoutMarks(after).slice(0, LABELLED_IDENTIFIERS_VALUE_CHARS);
  const words = labelText(before.slice(-LABELLED_IDENTIFIERS_LABEL_CHARS)).split(' ');
  if (value === '') return [];
  return Array.from({ length: Math.min(words.length, LABEL_WORDS) }, (_, at) => ({
    label: words.slice(-(at + 1)).join(' '),
    value,
  }));
}

const withoutMarks = (text: string): string => text.replace(/^[\s:：#–—\u200e\u200f-]+/, '').trim();
const labelText = (text: string): string =>
  text
    .replace(/[\u200e\u200f()]/g, '')
    .replace(/[\s:：#]+$/, '')
    .trim();

/** An identifier has a digit and no more than two parts. */
function skuIn(value: string): string | undefined {
  const text = value.replace(/[\u200e\u200f()]/g, '').trim();
  const parts = text.split(/\s+/);
  const candidate = parts.length <= 2 ? text : (parts[0] ?? '');
  return /\d/.test(candidate) && candidate.replace(/[^\p{L}\p{N}]/gu, '').length >= NUMBER_CHARS
    ? validSku(candidate)
    : undefined;
}
