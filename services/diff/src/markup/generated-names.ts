/**
 * Detects class names and ids that a build or library generates and that change with the next release. Decides by shape
 * only: a generated name mixes letters and digits, or upper and lower case, unlike words.
 */

/** Longer names are not analysed. */
const MAX_NAME_CHARS = 200;
const PREFIXED = /^(?:css|sc|jsx|jss|emotion|svelte|styled|astro|chakra|mui|e|c|s|x)-[a-z0-9]{5,12}(?:-\d+)?$/i;
const SINGLE_RUN = /^_?[a-zA-Z0-9]{5,20}$/;
const HEX = /^[0-9a-f]{6,}$/i;

const charCounts = (part: string): { digits: number; upper: number; lower: number } => ({
  digits: part.replace(/\D/g, '').length,
  upper: part.replace(/[^A-Z]/g, '').length,
  lower: part.replace(/[^a-z]/g, '').length,
});

/**
 * Whether letters and digits alternate, or capitals stand where no word begins: `1aCf6`, `3OCpS5`, `b031a73`, `ToW2S`.
 */
export function isScrambled(part: string): boolean {
  if (part.length < 5 || part.length > 64 || !/^[a-zA-Z0-9]+$/.test(part)) return false;
  const { digits, upper, lower } = charCounts(part);
  if (digits > 0 && digits === part.length) return part.length >= 7;
  if (HEX.test(part) && digits >= 2 && upper * lower === 0) return true;
  // `col2`, `heading1`, `h264`: one number after one word is an authored name.
  const turns = part.match(/[a-zA-Z](?=\d)|\d(?=[a-zA-Z])/g)?.length ?? 0;
  if (digits > 0) return turns >= 2 || (upper > 0 && lower > 0 && !/^[A-Za-z][a-z]+(?:[A-Z][a-z]+)*\d+$/.test(part));
  // Camel case with acronyms: `rebrandBodyID`, `isHTMLPage`.
  if (isCamelCaseWords(part)) return false;
  return /[a-z][A-Z]{1,2}[a-z]?[A-Z]|^[A-Z]?[a-z]{1,2}[A-Z][a-z]{0,2}[A-Z]|[A-Z][b-df-hj-np-tv-z]{4,}$/.test(part);
}

/** Whether the part is words in camel case, including acronyms. */
export const isCamelCaseWords = (part: string): boolean =>
  /^(?:[a-z]{2,})?(?:[A-Z][a-z]{2,}|[A-Z]{2,5}(?=[A-Z][a-z]|$))*$/.test(part);

/**
 * Returns a class name or id with its generated parts replaced by `*`: `Text_body__ToW2S` and `Text_body__9xKq1` both
 * become `Text_body__*`.
 */
export function normalizeName(name: string): string {
  if (name.length < 5 || name.length > MAX_NAME_CHARS) return name;
  if (PREFIXED.test(name) && !isWord(name.slice(name.indexOf('-') + 1))) return `${name.slice(0, name.indexOf('-'))}-*`;
  if (/^_(?=.*\d)[a-zA-Z0-9]{3,6}$/.test(name)) return '_*';
  if (SINGLE_RUN.test(name) && isScrambled(name.replace(/^_/, ''))) return '*';
  // CSS modules append their hash after two or three underscores or dashes.
  const module = /^(.*?[^_-])(_{2,3}|--)([a-zA-Z0-9+/_-]{5,10})$/.exec(name);
  if (module && isGeneratedSuffix(module[3] ?? '')) return `${module[1]}${module[2]}*`;
  return name.replace(/[a-zA-Z0-9]+/g, (part, at: number) => (at > 0 && isScrambled(part) ? '*' : part));
}

const isWord = (tail: string): boolean => /^[a-z]+$/i.test(tail) && /[aeiouy]/i.test(tail) && !isScrambled(tail);

const isGeneratedSuffix = (tail: string): boolean =>
  /\d/.test(tail)
    ? !/^[a-z]+\d{1,2}$/.test(tail)
    : /[A-Z]/.test(tail) && /[a-z]/.test(tail) && !/^[A-Z]?[a-z]+(?:[A-Z][a-z]+)*$/.test(tail);

/** Whether the next release may change the class name or id. */
export const isGeneratedName = (name: string): boolean => normalizeName(name) !== name || isSequentialName(name);

/** Whether a framework numbers the name during rendering: `:r1:`, `radix-3`, `ember512`, `yui_3_17_2_1_1700000000`. */
export const isSequentialName = (name: string): boolean =>
  /(?:^|[-_]):r[0-9a-z]{1,20}:|^«r[0-9a-z]+»$|^(?:ember|ext-gen|gwt-uid-|yui_|mce_|react-aria|headlessui-|radix-|mui-|ui-id-|select2-|uid-|downshift-)[\w:.-]*\d/i.test(
    name,
  ) || /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i.test(name);

/** Returns an id, or a reference to one, in normalised form. */
export const normalizeId = (id: string): string =>
  id.length <= MAX_NAME_CHARS && isSequentialName(id) ? '*' : normalizeName(id);
