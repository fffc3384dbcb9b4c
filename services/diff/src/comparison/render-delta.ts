import { Landmark } from '@tidemark/contracts/page/v1/blocks';
import { escapeHtml } from '@tidemark/html';
import type { BlockChange, FieldChange, PageDelta, WordRun } from '../domain/page-delta.ts';

/** Maximum length of a fragment; further changes are counted only. */
const FRAGMENT_CHARS = 200_000;
/** Unchanged text shown on each side of an edit, characters. */
const CONTEXT_CHARS = 160;
const TEXT_CHARS = 20_000;
const LINKS_SHOWN = 20;

/**
 * Renders a page's changes as an HTML fragment with `ins`, `del` and section headings. Safe to embed: all page text is
 * escaped and isolated in its text direction; the fragment has no links, styles, scripts or attributes from the page.
 * Bounded size.
 */
export function renderDelta(delta: PageDelta): string {
  const parts = ['<div class="tidemark-delta">'];
  if (delta.isDegraded)
    parts.push('<p class="tidemark-note">The comparison timed out; replaced blocks are shown whole.</p>');
  if (delta.isReordered) parts.push('<p class="tidemark-note">Only the order differs.</p>');
  const written = delta.fields.length > 0 ? [fieldsOf(delta.fields)] : [];
  let section: string | undefined;
  for (const change of delta.blocks) {
    const heading =
      change.section !== section && change.section !== '' ? `<h4 dir="auto">${escaped(change.section)}</h4>` : '';
    section = change.section;
    written.push(heading + blockOf(change));
  }
  let chars = 0;
  const shown = written.filter((part) => {
    chars += part.length;
    return chars <= FRAGMENT_CHARS;
  });
  parts.push(...shown);
  const hidden = written.length - shown.length;
  if (hidden > 0) parts.push(`<p class="tidemark-note">${hidden} more not shown.</p>`);
  return `${parts.join('\n')}\n</div>`;
}

const LANDMARKS = new Map<Landmark, string>([
  [Landmark.LANDMARK_MAIN, 'main'],
  [Landmark.LANDMARK_HEADER, 'header'],
  [Landmark.LANDMARK_NAV, 'nav'],
  [Landmark.LANDMARK_ASIDE, 'aside'],
  [Landmark.LANDMARK_FOOTER, 'footer'],
]);

function blockOf(change: BlockChange): string {
  const landmark = LANDMARKS.get((change.after ?? change.before)?.landmark ?? Landmark.LANDMARK_UNSPECIFIED) ?? 'other';
  const volatileAttribute = change.isVolatile === true ? ' data-volatile="true"' : '';
  const body = change.words.map((run, at) => runOf(run, at, change.words.length)).join('');
  return `<p dir="auto" data-op="${change.op}" data-landmark="${landmark}"${volatileAttribute}>${body}</p>${linksOf(change)}`;
}

function runOf([op, text]: WordRun, at: number, count: number): string {
  if (op === '+') return `<ins>${escaped(shortened(text))}</ins>`;
  if (op === '-') return `<del>${escaped(shortened(text))}</del>`;
  if (text.length <= CONTEXT_CHARS * 2) return escaped(text);
  if (count === 1) return `${escaped(startOf(text))} …`;
  const head = at === 0 ? '' : startOf(text);
  const tail = at === count - 1 ? '' : endOf(text);
  return `${escaped(head)} … ${escaped(tail)}`;
}

/** Renders added and removed link targets as text. */
function linksOf({ op, before, after, links }: BlockChange): string {
  if (op === 'moved') return '';
  const isWhole = before === undefined || after === undefined;
  const removed = (isWhole ? (before?.links ?? []) : (links ?? []).flatMap(({ from }) => from ?? [])).slice(
    0,
    LINKS_SHOWN,
  );
  const added = (isWhole ? (after?.links ?? []) : (links ?? []).flatMap(({ to }) => to ?? [])).slice(0, LINKS_SHOWN);
  if (removed.length + added.length === 0) return '';
  const lines = [
    ...removed.map((link) => `<del>${escaped(link)}</del>`),
    ...added.map((link) => `<ins>${escaped(link)}</ins>`),
  ];
  return `<p class="tidemark-links"><code>${lines.join('</code> <code>')}</code></p>`;
}

function fieldsOf(fields: readonly FieldChange[]): string {
  const rows = fields.map(({ name, from, to }) => {
    const old = from === undefined ? '' : `<del>${escaped(shortened(from))}</del>`;
    const now = to === undefined ? '' : `<ins>${escaped(shortened(to))}</ins>`;
    return `<dt>${escaped(name)}</dt><dd dir="auto">${[old, now].filter((part) => part !== '').join(' ')}</dd>`;
  });
  return `<dl class="tidemark-fields">${rows.join('')}</dl>`;
}

const shortened = (text: string): string => (text.length <= TEXT_CHARS ? text : `${text.slice(0, TEXT_CHARS)} …`);
const startOf = (text: string): string => text.slice(0, CONTEXT_CHARS).replace(/\S*$/, '');
const endOf = (text: string): string => text.slice(-CONTEXT_CHARS).replace(/^\S*/, '');

/** Control characters, direction overrides and lone surrogates could disguise the displayed text. */
const UNWANTED = /[^\P{Cc}\t\n\r]|[\u202a-\u202e\u2066-\u2069]|\p{Cs}/gu;

const escaped = (text: string): string => escapeHtml(text).replaceAll('`', '&#96;').replace(UNWANTED, '\ufffd');
