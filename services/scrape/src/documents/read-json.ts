import { decodeBody } from '../content/read-page.ts';
import type { DocumentContent, DocumentInput, DocumentLimits } from './document.ts';
import { type Feed, writeFeed } from './feed.ts';
import { codeBlock } from './html-text.ts';

/** Reads data as code, set out line by line. Numbers and names stay as they are written. */
export async function readJson(input: DocumentInput, limits: DocumentLimits): Promise<DocumentContent> {
  const { html: whole } = decodeBody(input.bytes, input.contentType);
  const source = whole.slice(0, limits.textChars).replace(/^\ufeff/, '');
  const notes = whole.length > limits.textChars ? [`document cut after ${limits.textChars} characters`] : [];
  const facts = { kind: input.kind };
  if (input.kind === 'ndjson') {
    const rows = source.split('\n').filter((line) => line.trim() !== '').length;
    return { html: codeBlock(source.trim(), 'json'), text: source.trim(), facts: { ...facts, rows }, notes };
  }
  const parsed = parsedJson(source);
  if (parsed === undefined) {
    const why = notes.length === 0 ? ['not valid json: shown as it is'] : [];
    return { html: codeBlock(source.trim(), 'json'), text: source.trim(), facts, notes: [...notes, ...why] };
  }
  const feed = jsonFeedIn(parsed.value);
  if (feed !== undefined) return writeFeed(feed, 'json feed', limits);
  const text = setOut(source, limits.textChars);
  const title = saidBy(parsed.value, 'title') || saidBy(parsed.value, 'headline') || saidBy(parsed.value, 'name');
  return { html: codeBlock(text, 'json'), text, facts, notes, ...(title === '' ? {} : { title: title.slice(0, 300) }) };
}

function parsedJson(source: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(source) };
  } catch {
    return undefined;
  }
}

const INDENT_CAP = 32;

/**
 * Valid JSON with every value on its own line. Rewriting the text, not the parsed value, keeps numbers too long for a
 * double and names that occur twice.
 */
function setOut(source: string, charsCap: number): string {
  const out: string[] = [];
  let chars = 0;
  let depth = 0;
  const add = (text: string): void => {
    out.push(text);
    chars += text.length;
  };
  const line = (): void => add(`\n${'  '.repeat(Math.min(depth, INDENT_CAP))}`);
  let before = '';
  for (const token of tokensOf(source)) {
    if (chars > charsCap) return source;
    const closes = token === '}' || token === ']';
    if (closes) depth -= 1;
    const isEmpty = closes && (before === '{' || before === '[');
    if (!isEmpty && (closes || before === '{' || before === '[' || before === ',')) line();
    add(token === ':' ? ': ' : token);
    if (token === '{' || token === '[') depth += 1;
    before = token;
  }
  return out.join('');
}

/** Signs, values and whole strings, one after the other. */
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

/** Where a string ends that begins with the quote at `start`. A pattern would need a stack as deep as the string is long. */
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

function saidBy(value: unknown, name: string): string {
  if (typeof value !== 'object' || value === null) return '';
  const found: unknown = Reflect.get(value, name);
  return typeof found === 'string' ? found.trim() : '';
}

/** https://www.jsonfeed.org/version/1.1/ */
function jsonFeedIn(value: unknown): Feed | undefined {
  if (!saidBy(value, 'version').startsWith('https://jsonfeed.org/version/')) return undefined;
  const items: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'items') : [];
  return {
    title: saidBy(value, 'title'),
    description: saidBy(value, 'description'),
    link: saidBy(value, 'home_page_url'),
    language: saidBy(value, 'language'),
    items: (Array.isArray(items) ? items : []).map((item: unknown) => ({
      title: saidBy(item, 'title'),
      link: saidBy(item, 'url') || saidBy(item, 'external_url'),
      date: saidBy(item, 'date_published') || saidBy(item, 'date_modified'),
      author: '',
      summary: saidBy(item, 'summary') || saidBy(item, 'content_text') || saidBy(item, 'content_html'),
    })),
  };
}
