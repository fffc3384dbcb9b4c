import { createHash } from 'node:crypto';
import { tokensOf } from '../../comparison/tokens.ts';
import type { BlockChange, FieldChange, WordRun } from '../../domain/page-delta.ts';
import { isContentChange, mentionsPrice } from '../../volatility/block-traits.ts';

/** Identity of an edit. Edits on different pages are the same edit if name and scope are equal. */
export interface Edit {
  readonly name: string;
  readonly scope: EditScope;
}

/**
 * `content`: the main part. `boilerplate`: header, navigation and the like. `metadata`: head values for other machines,
 * which alone do not modify a page.
 */
export type EditScope = 'content' | 'boilerplate' | 'metadata';

/** Removed text and the text in its place; either may be empty. */
type Replacement = readonly [out: string, put: string];

/**
 * Minimum length of both sides together. Shorter replacements, such as "2" to "3" or one year to the next, coincide by
 * chance.
 */
const MIN_EDIT_CHARS = 9;
/** If more link targets of a block differ, they are not compared. */
const MAX_LINKS = 50;
const METADATA_FIELDS: ReadonlySet<string> = new Set(['og:title', 'og:image', 'json-ld']);

/**
 * Returns the identity of a block change. An edit inside a block is identified by its replacements, in order: "9.4.1"
 * to "9.4.2" is one edit in any context, including changed link targets. Short replacements, prices in the content, and
 * added, removed or moved blocks are identified by the whole blocks.
 */
export function editOfBlock(change: BlockChange): Edit {
  const replaced = change.op === 'edited' || change.op === 'relinked' ? replacedIn(change) : undefined;
  return {
    name:
      replaced === undefined
        ? `${change.op} ${hashOf(change.before)} ${hashOf(change.after)}`
        : `words ${digestOf(replaced)}`,
    scope: isContentChange(change) ? 'content' : 'boilerplate',
  };
}

export function editOfField({ name, from, to }: FieldChange): Edit {
  return { name: `field ${digestOf([name, from, to])}`, scope: METADATA_FIELDS.has(name) ? 'metadata' : 'content' };
}

/** Returns the distinct replacements inside a block; undefined: only the whole block identifies the edit. */
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

/** Returns the differing parts of link targets; undefined: too many differ. */
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

/** URLs contain "9_4_1" where texts contain "9.4.1". */
const replacement = (removed: string, added: string): Replacement => [normalized(removed), normalized(added)];
const normalized = (text: string): string => text.trim().replaceAll('_', '.');

const digestOf = (parts: unknown): string => createHash('sha1').update(JSON.stringify(parts)).digest('base64url');

const hashOf = (block: BlockChange['before']): string =>
  block === undefined ? '-' : Buffer.from(block.hash).toString('base64url');
