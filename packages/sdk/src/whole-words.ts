/** A run of text: in both readings (`=`), only in the later (`+`), or only in the earlier (`-`). */
export interface TextRun {
  readonly op: '=' | '+' | '-';
  readonly text: string;
}

/** Scripts without spaces between words: a token there is a character, and an edit has no word around it. */
const UNSPACED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
/** What makes one word together: letters, digits, signs of currencies and units, and marks between them such as in "1,299.50" or "twenty-one". */
const PART = `(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}\\p{Sc}_%‰°#@&+\\-/'’]|(?<=\\p{N})[.,:](?=\\p{N}))`;
const AT_END = new RegExp(`${PART}+$`, 'u');
const AT_START = new RegExp(`^${PART}+`, 'u');
const ENDS_IN_PART = new RegExp(`${PART}$`, 'u');
const STARTS_WITH_PART = new RegExp(`^${PART}`, 'u');
/** Longer words are left cut: they are addresses or generated text. */
const MAX_CHARS = 60;

interface Edit {
  old: string;
  now: string;
}

/** Returns the part of a word that an edit cuts off, before or after it; empty: the edit begins or ends between words. */
function cutOff(text: string, { old, now }: Edit, side: 'before' | 'after'): string {
  const isBefore = side === 'before';
  const touches = isBefore ? STARTS_WITH_PART : ENDS_IN_PART;
  if (!touches.test(old) && !touches.test(now)) return '';
  const part = (isBefore ? AT_END : AT_START).exec(text)?.[0] ?? '';
  return part.length > MAX_CHARS ? '' : part;
}

/**
 * Extends the edits among the runs of a block to whole words, removed text first: "€" `-65` `+49` becomes `-€65` `+€49`. Without `-` runs they are
 * still the later text, without `+` runs the earlier one.
 */
export function wholeWords(runs: readonly TextRun[]): TextRun[] {
  const parts: (string | Edit)[] = [];
  for (const { op, text } of runs) {
    const last = parts.at(-1);
    if (op === '=') {
      if (typeof last === 'string') parts[parts.length - 1] = last + text;
      else parts.push(text);
      continue;
    }
    const edit = typeof last === 'object' ? last : { old: '', now: '' };
    if (edit !== last) parts.push(edit);
    if (op === '-') edit.old += text;
    else edit.now += text;
  }
  return toRuns(extend(parts));
}

/** Moves parts of words from the texts between the edits into the edits, and joins edits of one word. */
function extend(parts: readonly (string | Edit)[]): (string | Edit)[] {
  const extended: (string | Edit)[] = [];
  for (const part of parts) {
    if (typeof part === 'string') appendText(extended, part);
    else appendEdit(extended, part);
  }
  return extended;
}

/** Appends a text. A part of a word at its start is moved into the edit before it. */
function appendText(extended: (string | Edit)[], text: string): void {
  const last = extended.at(-1);
  const cut = typeof last === 'object' ? cutOff(text, last, 'after') : '';
  if (typeof last === 'object') join(last, { old: cut, now: cut });
  if (text.length > cut.length) extended.push(text.slice(cut.length));
}

/** Appends an edit. A part of a word at the end of the text before it is moved into it. Two edits without text between them are of one word. */
function appendEdit(extended: (string | Edit)[], edit: Edit): void {
  const text = extended.at(-1);
  const cut = typeof text === 'string' ? cutOff(text, edit, 'before') : '';
  if (typeof text === 'string') {
    extended.pop();
    if (text.length > cut.length) extended.push(text.slice(0, text.length - cut.length));
  }
  const whole = { old: cut + edit.old, now: cut + edit.now };
  const last = extended.at(-1);
  if (typeof last === 'object') join(last, whole);
  else extended.push(whole);
}

/** Adds an edit to the one before it. */
function join(edit: Edit, next: Edit): void {
  edit.old += next.old;
  edit.now += next.now;
}

const toRuns = (parts: readonly (string | Edit)[]): TextRun[] =>
  parts
    .flatMap((part): TextRun[] =>
      typeof part === 'string'
        ? [{ op: '=', text: part }]
        : [
            { op: '-', text: part.old },
            { op: '+', text: part.now },
          ],
    )
    .filter(({ text }) => text !== '');
