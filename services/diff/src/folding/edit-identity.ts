import { createHash } from 'node:crypto';
import { tokensOf } from '../compare/tokens.ts';
import type { BlockChange, FieldChange, WordRun } from '../domain/page-delta.ts';
import { isContentChange, mentionsPrice } from '../volatility/block-traits.ts';

/** An edit of a page, and where: alike on two pages where both are the same. */
export interface Edit {
  readonly name: string;
  readonly scope: EditScope;
}

/** The content and what stands around it; `beside`: what a head says for other machines, which makes no news by itself. */
export type EditScope = 'content' | 'around' | 'beside';

/** Words taken out and what stands there now; either may be empty. */
type Replacement = readonly [out: string, put: string];

/** Less than this, both sides together, says nothing by itself: "2" to "3", "the" to "this", a year. */
const MIN_EDIT_CHARS = 9;
/** Of a block in which more addresses differ, the addresses are not looked into. */
const MAX_LINKS = 50;
const METADATA_FIELDS: ReadonlySet<string> = new Set(['og:title', 'og:image', 'json-ld']);

/**
 * Names an edit of a block. Inside a block that is what was taken out and put in, in its order: "9.4.1" to "9.4.2" is one edit whatever
 * stands around it, and where the addresses it links to follow. What is too short to be told from chance, prices in the content, and
 * what came, left or moved as a whole are alike where the whole blocks are.
 */
export function editOfBlock(change: BlockChange): Edit {
  const replaced = change.op === 'edited' ? replacedIn(change) : undefined;
  return {
    name:
      replaced === undefined
        ? `${change.op} ${hashOf(change.before)} ${hashOf(change.after)}`
        : `words ${digestOf(replaced)}`,
    scope: isContentChange(change) ? 'content' : 'around',
  };
}

export function editOfField({ name, from, to }: FieldChange): Edit {
  return { name: `field ${digestOf([name, from, to])}`, scope: METADATA_FIELDS.has(name) ? 'beside' : 'content' };
}

/** What an edit inside a block replaces, each once; undefined: only the whole block says what was edited. */
function replacedIn(change: BlockChange): readonly Replacement[] | undefined {
  const { before, after, words } = change;
  if (isContentChange(change) && [before, after].some((block) => block !== undefined && mentionsPrice(block)))
    return undefined;
  const links = replacedLinks(before?.links ?? [], after?.links ?? []);
  if (links === undefined) return undefined;
  const all = new Map([...replacedWords(words), ...links].map((one) => [JSON.stringify(one), one]));
  const replaced = [...all.values()];
  const chars = replaced.reduce((sum, [removed, added]) => sum + removed.length + added.length, 0);
  return chars < MIN_EDIT_CHARS ? undefined : replaced;
}

function replacedWords(words: readonly WordRun[]): Replacement[] {
  const replaced: Replacement[] = [];
  let [removed, added] = ['', ''];
  const flush = (): void => {
    if (removed !== '' || added !== '') replaced.push(replacement(removed, added));
    [removed, added] = ['', ''];
  };
  for (const [op, text] of words) {
    if (op === '=') flush();
    else if (op === '-') removed += text;
    else added += text;
  }
  flush();
  return replaced;
}

/** Of addresses, the words in which they differ; undefined: too many differ. */
function replacedLinks(before: readonly string[], after: readonly string[]): Replacement[] | undefined {
  const [old, now] = [new Set(before), new Set(after)];
  const removedLinks = before.filter((link) => !now.has(link));
  const addedLinks = after.filter((link) => !old.has(link));
  if (removedLinks.length > MAX_LINKS || addedLinks.length > MAX_LINKS) return undefined;
  if (removedLinks.length !== addedLinks.length) return [replacement(removedLinks.join(' '), addedLinks.join(' '))];
  return removedLinks.flatMap((link, at) => replacedParts(link, addedLinks[at] ?? ''));
}

function replacedParts(before: string, after: string): Replacement[] {
  const [old, now] = [tokensOf(before), tokensOf(after)];
  if (old.length !== now.length) return [replacement(before, after)];
  return old.flatMap(({ text }, at) => (text === now[at]?.text ? [] : [replacement(text, now[at]?.text ?? '')]));
}

/** Addresses write "9_4_1" where texts write "9.4.1". */
const replacement = (removed: string, added: string): Replacement => [normalized(removed), normalized(added)];
const normalized = (text: string): string => text.trim().replaceAll('_', '.');

const digestOf = (parts: unknown): string => createHash('sha1').update(JSON.stringify(parts)).digest('base64url');

const hashOf = (block: BlockChange['before']): string =>
  block === undefined ? '-' : Buffer.from(block.hash).toString('base64url');
