import { decodeBody } from '../page/decode-body.ts';
import { type Feed, writeFeed } from './feed.ts';
import type { DocumentContent, DocumentInput, DocumentLimits } from './model/document.ts';
import { INDENT_CAP } from './model/thresholds.ts';
import { codeBlock } from './model/write-html.ts';

/** Reads JSON as code, one value per line. Numbers and names are not changed. */
export async function readJson(input: DocumentInput, limits: DocumentLimits): Promise<DocumentContent> {
  const { html: whole } = decodeBody(input.bytes, input.contentType);
  const source = whole.slice(0, limits.textChars).replace(/^\ufeff/, '');
  const notes = whole.length > limits.textChars ? [`document cut after ${limits.textChars} characters`] : [];
  const properties = { kind: input.kind };
  if (input.kind === 'ndjson') {
    const rows = source.split('\n').filter((line) => line.trim() !== '').length;
    return { html: codeBlock(source.trim(), 'json'), text: source.trim(), properties: { ...properties, rows }, notes };
  }
  const parsed = parsedJson(source);
  if (parsed === undefined) {
    const note = notes.length === 0 ? ['not valid json: shown as it is'] : [];
    return { html: codeBlock(source.trim(), 'json'), text: source.trim(), properties, notes: [...notes, ...note] };
  }
  const feed = jsonFeedIn(parsed.value);
  if (feed !== undefined) return writeFeed(feed, 'json feed', limits);
  const text = format(source, limits.textChars);
  const title = stringAt(parsed.value, 'title') || stringAt(parsed.value, 'headline') || stringAt(parsed.value, 'name');
  return {
    html: codeBlock(text, 'json'),
    text,
    properties,
    notes,
    ...(title === '' ? {} : { title: title.slice(0, 300) }),
  };
}

function parsedJson(source: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(source) };
  } catch {
    return undefined;
  }
}

const OPENING = new Set(['{', '[']);
const CLOSING = new Set(['}', ']']);

/**
 * Formats valid JSON with one value per line. Works on the text instead of the parsed value, to keep numbers beyond
 * double precision and duplicate names.
 */
function format(source: string, charsCap: number): string {
  const out: string[] = [];
  let chars = 0;
  let depth = 0;
  const add = (text: string): void => {
    out.push(text);
    chars += text.length;
  };
  const line = (): void => add(`\n${'  '.repeat(Math.min(depth, INDENT_CAP))}`);
  let previous = '';
  for (const token of tokensOf(source)) {
    if (chars > charsCap) return source;
    const closes = CLOSING.has(token);
    const isFirst = OPENING.has(previous);
    if (closes) depth -= 1;
    if (closes ? !isFirst : isFirst || previous === ',') line();
    add(token === ':' ? ': ' : token);
    if (OPENING.has(token)) depth += 1;
    previous = token;
  }
  return out.join('');
}

/** Yields punctuation, values and whole strings in order. */
function* tokensOf(source: string): Generator<string> {
  const bare = /[[\]{}:,]|[^\s[\]{}:,"]+|"/g;
  for (let match = bare.exec(source); match !== null; match = bare.exec(source)) {
    if (match[0] !== '"') yield match[0];
    else {
      const end = endOfString(source, match.index);
      yield source.slice(match.index, end);
      bare.lastIndex = end;
    }
  }
}

/**
 * Returns the end of the string that starts with the quote at `start`. A regular expression would need a stack as deep
 * as the string is long.
 */
function endOfString(source: string, start: number): number {
  for (let at = start + 1; at < source.length; at += 1) {
    const code = source.charCodeAt(at);
    if (code === BACKSLASH) at += 1;
    else if (code === QUOTE) return at + 1;
  }
  return source.length;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

function stringAt(value: unknown, name: string): string {
  if (typeof value !== 'object' || value === null) return '';
  const found: unknown = Reflect.get(value, name);
  return typeof found === 'string' ? found.trim() : '';
}

/** https://www.jsonfeed.org/version/1.1/ */
function jsonFeedIn(value: unknown): Feed | undefined {
  if (!stringAt(value, 'version').startsWith('https://jsonfeed.org/version/')) return undefined;
  const items: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'items') : [];
  return {
    title: stringAt(value, 'title'),
    description: stringAt(value, 'description'),
    link: stringAt(value, 'home_page_url'),
    language: stringAt(value, 'language'),
    items: (Array.isArray(items) ? items : []).map((item: unknown) => ({
      title: stringAt(item, 'title'),
      link: stringAt(item, 'url') || stringAt(item, 'external_url'),
      date: stringAt(item, 'date_published') || stringAt(item, 'date_modified'),
      author: '',
      summary: stringAt(item, 'summary') || stringAt(item, 'content_text') || stringAt(item, 'content_html'),
    })),
  };
}
