import { type AlertInput, type Compared, type ComparedValues, HEAD_NAMES, PRODUCT_NAMES } from '@tidemark/alert-rules';
import type { FieldChange } from '../domain/page-delta.ts';
import type { PageSide, PageStates, SideContent } from '../domain/page-states.ts';
import type { BlockEntry, Entry } from '../records/entries/entry.ts';

/** Blocks and characters of text that a condition reads of an entry. */
const MAX_BLOCKS = 200;
const MAX_TEXT = 50_000;

/** A change as conditions read it, and its page as it was before the change. */
export interface AlertInputs {
  readonly now: AlertInput;
  /** The page as it was, with nothing changed. A rule that holds for it held already, and does not match. */
  readonly before: AlertInput;
  /** As `before`, for a rule that a page may meet when it is found: such a page was not there. */
  readonly beforeFound: AlertInput | undefined;
}

/** Returns what conditions are evaluated over for an entry. */
export function alertInputsOf(entry: Entry): AlertInputs {
  const pageStates = entry.pageStates ?? {};
  const before = unchangedPage(entry, pageStates);
  const isFound = pageStates.before === undefined && entry.kind === 'added';
  return { now: changedPage(entry, pageStates), before, beforeFound: isFound ? undefined : before };
}

function changedPage(entry: Entry, { before, after }: PageStates): AlertInput {
  const { url, title = '', verdicts, template, kind } = entry;
  const read = kind === 'removed' ? undefined : after;
  return {
    kind,
    section: entry.section,
    words_added: entry.wordsAdded,
    words_removed: entry.wordsRemoved,
    entry: {
      ...textOf(entry.blocks),
      numeric_only: entry.numericOnly,
      returned: entry.returned === true,
      degraded: entry.degraded,
      moved_from: entry.movedFrom ?? '',
      template_pages: template?.pages ?? 1,
    },
    page: {
      url,
      title,
      language: after?.language ?? '',
      httpStatus: statusOf(after),
      verdict: verdicts[1],
      verdict_before: verdicts[0],
      words: after?.words ?? null,
    },
    ...(entry.pageStates === undefined
      ? changedValues(entry.fields)
      : comparedContents(before?.content, read?.content)),
  };
}

/** Returns the page before the change; a page that is found is taken as if it had been there. */
function unchangedPage(
  { url, title = '', verdicts, kind, pageStates: stored, fields }: Entry,
  pageStates: PageStates,
): AlertInput {
  const side = pageStates.before ?? pageStates.after;
  const verdict = kind === 'added' && pageStates.before === undefined ? verdicts[1] : verdicts[0];
  const content = side?.content;
  return {
    kind: pageStates.wasUnread === true ? 'withheld' : 'same',
    section: '',
    words_added: 0,
    words_removed: 0,
    entry: {
      text_added: '',
      text_removed: '',
      numeric_only: false,
      returned: false,
      degraded: false,
      moved_from: '',
      template_pages: 1,
      blocks: [],
    },
    page: {
      url,
      title: side?.title ?? title,
      language: side?.language ?? '',
      httpStatus: statusOf(side),
      verdict,
      verdict_before: verdict,
      words: side?.words ?? null,
    },
    ...(stored === undefined ? unchangedValues(changedValues(fields)) : comparedContents(content, content)),
  };
}

const statusOf = (side: PageSide | undefined): number | null =>
  side === undefined || side.httpStatus === 0 ? null : side.httpStatus;

/** Returns the text that an entry adds and removes. Volatile changes are left out. */
function textOf(all: readonly BlockEntry[]): Pick<AlertInput['entry'], 'text_added' | 'text_removed' | 'blocks'> {
  const blocks = all.filter((block) => !block.volatile).slice(0, MAX_BLOCKS);
  const joined = (texts: readonly string[]): string =>
    texts
      .filter((text) => text !== '')
      .join('\n')
      .slice(0, MAX_TEXT);
  return {
    text_added: joined(blocks.map((block) => textWithin(block, '+'))),
    text_removed: joined(blocks.map((block) => textWithin(block, '-'))),
    blocks: blocks.map(({ op, landmark, section, before, after }) => ({
      op,
      landmark,
      section,
      before: before ?? '',
      after: after ?? '',
    })),
  };
}

function textWithin({ op, before, after, words }: BlockEntry, side: '+' | '-'): string {
  if (op === 'moved' || op === 'relinked') return '';
  if (op === 'edited' && words.length > 0)
    return words
      .filter(([run]) => run === side)
      .map(([, text]) => text.trim())
      .join(' ');
  return (side === '+' ? after : before) ?? '';
}

type ContentValues = Pick<AlertInput, 'fields' | 'extracted' | 'head' | 'product'>;

/** Compares all values of two readings. What one of them does not show has not changed. */
function comparedContents(before: SideContent | undefined, after: SideContent | undefined): ContentValues {
  const values = (kind: keyof SideContent, names: readonly string[]): ComparedValues => {
    const [old, now] = [before?.[kind] ?? {}, after?.[kind] ?? {}];
    const all = new Set([...names, ...Object.keys(old), ...Object.keys(now)]);
    const isComparable = before !== undefined && after !== undefined;
    return Object.fromEntries(
      [...all].map((name): [string, Compared] => {
        const [from, to] = [old[name] ?? null, now[name] ?? null];
        return [
          name,
          { before: from, after: to, changed: isComparable && JSON.stringify(from) !== JSON.stringify(to) },
        ];
      }),
    );
  };
  return {
    fields: values('fields', []),
    extracted: values('extracted', []),
    head: values('head', HEAD_NAMES),
    product: values('product', PRODUCT_NAMES),
  };
}

const FIELD_NAME = /^(fields|extracted)\.([^.[]+)$/;

/** Returns the values that an entry without readings lists: of a change that many pages have, and of entries stored before rules existed. */
function changedValues(fields: readonly FieldChange[]): ContentValues {
  const none = (names: readonly string[]): Record<string, Compared> =>
    Object.fromEntries(names.map((name) => [name, { before: null, after: null, changed: false }]));
  const values = { fields: none([]), extracted: none([]), head: none(HEAD_NAMES), product: none(PRODUCT_NAMES) };
  for (const { name, from, to, isVolatile } of fields) {
    if (isVolatile === true) continue;
    const compared = { before: valueIn(from), after: valueIn(to), changed: true };
    const [, kind, field] = FIELD_NAME.exec(name) ?? [];
    if (kind === 'fields' && field !== undefined) values.fields[field] = compared;
    else if (kind === 'extracted' && field !== undefined) values.extracted[field] = compared;
    else values.head[name] = { before: from ?? null, after: to ?? null, changed: true };
  }
  return values;
}

/** Returns the values with the earlier one on both sides. */
function unchangedValues({ fields, extracted, head, product }: ContentValues): ContentValues {
  const earlier = (values: ComparedValues): ComparedValues =>
    Object.fromEntries(
      Object.entries(values).map(([name, { before }]) => [name, { before, after: before, changed: false }]),
    );
  return { fields: earlier(fields), extracted: earlier(extracted), head: earlier(head), product: earlier(product) };
}

/** Reads a value of a field from its text: numbers and booleans are listed as JSON. */
function valueIn(text: string | undefined): unknown {
  if (text === undefined) return null;
  if (text === 'true' || text === 'false') return text === 'true';
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}
