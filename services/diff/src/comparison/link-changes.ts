import { type Block, BlockKind } from '@tidemark/contracts/page/v1/blocks';
import { isOpaqueToken } from '@tidemark/web-url';
import type { BlockChange, LinkChange } from '../domain/page-delta.ts';

/** Number of links of a page whose random parts alone differ from which on they count as rotating. */
const ROTATING_LINKS = 3;

/** Returns the differences of two blocks' link targets, or of the files of two images. The order of links is no difference. */
export function linkChangesOf(before: Block, after: Block): LinkChange[] {
  if (Buffer.from(before.hash).equals(after.hash)) return [];
  const isSameImage = after.kind === BlockKind.BLOCK_KIND_IMAGE && hasSameText(before, after);
  // The URL of an image whose name is the same differs by build hashes or image services alone.
  const [old, now] = isSameImage ? [before.links.slice(1), after.links.slice(1)] : [before.links, after.links];
  if (old.join('\n') === now.join('\n')) return [];
  const removed = linksOf(before, old).filter(({ url }) => !now.includes(url));
  const added = linksOf(after, now).filter(({ url }) => !old.includes(url));
  return pairLinks(removed, added);
}

/** Whether only random parts of the targets differ. */
export function isTokenChange({ from, to }: LinkChange): boolean {
  if (from === undefined || to === undefined) return false;
  const [old, now] = [from.split(SEPARATORS), to.split(SEPARATORS)];
  return old.length === now.length && old.every((part, at) => part === now[at] || isRotated(part, now[at] ?? ''));
}

/** Whether the change is one of link targets, of which only random parts differ. */
export const isTokenEdit = ({ op, links = [] }: BlockChange): boolean =>
  op === 'relinked' && links.every(isTokenChange);

/**
 * Marks changes of random parts of link targets as volatile where several links of the page have them: such links are
 * generated for each visit. A single one may be a new target.
 */
export function markRotatingLinks(blocks: readonly BlockChange[]): readonly BlockChange[] {
  let tokens = 0;
  for (const { links = [] } of blocks) for (const link of links) if (isTokenChange(link)) tokens += 1;
  if (tokens < ROTATING_LINKS) return blocks;
  return blocks.map((change) => {
    const { links = [] } = change;
    const kept = links.filter((link) => !isTokenChange(link));
    if (kept.length === links.length) return change;
    if (change.op === 'relinked' && kept.length === 0) return { ...change, isVolatile: true };
    return { ...change, links: kept };
  });
}

const SEPARATORS = /[/?&=;#:.]+/;
const MIN_ROTATED_CHARS = 12;
const MIN_DIFFERENT_SHARE = 0.6;
/** A digit beside a letter, or a capital inside a word. */
const MIXED = /[A-Za-z]\d|\d[A-Za-z]|[a-z][A-Z]/;

/** Whether both parts of a URL are random, or of one length, mixed of letters and digits, and mostly different. */
function isRotated(before: string, after: string): boolean {
  if (isOpaqueToken(before) && isOpaqueToken(after)) return true;
  if (before.length < MIN_ROTATED_CHARS || before.length !== after.length) return false;
  let different = 0;
  for (let at = 0; at < before.length; at += 1) if (before[at] !== after[at]) different += 1;
  return different >= before.length * MIN_DIFFERENT_SHARE && MIXED.test(before) && MIXED.test(after);
}

interface Link {
  readonly url: string;
  readonly text: string;
}

const linksOf = ({ text, links, linkTexts }: Block, some: readonly string[]): Link[] =>
  some.map((url) => ({ url, text: linkTexts[links.indexOf(url)] || text }));

/** Pairs removed and added targets by the text of the link, then in order. */
function pairLinks(removed: readonly Link[], added: readonly Link[]): LinkChange[] {
  const waiting = [...added];
  const take = (passes: (link: Link) => boolean): Link | undefined => {
    const at = waiting.findIndex(passes);
    return at === -1 ? undefined : waiting.splice(at, 1)[0];
  };
  const byText = removed.map((old) => ({ old, now: take(({ text }) => text === old.text) }));
  const changes = byText.map(({ old, now }): LinkChange => {
    const other = now ?? take(() => true);
    return { text: other?.text ?? old.text, from: old.url, ...(other === undefined ? {} : { to: other.url }) };
  });
  return [...changes, ...waiting.map(({ text, url }): LinkChange => ({ text, to: url }))];
}

const hasSameText = (before: Block, after: Block): boolean =>
  before.textHash !== undefined && after.textHash !== undefined && Buffer.from(before.textHash).equals(after.textHash);
