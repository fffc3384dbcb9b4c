import { type Block, BlockKind } from '@tidemark/contracts/page/v1/blocks';

/** What a mask puts in place of an age, of views, votes and the like, of a machine's clock: they change by themselves wherever they stand. */
const SELF_UPDATING = new Set(['{age}', '{count}', '{timestamp}']);
/** What these say was written on purpose. */
const NEVER_SELF_UPDATING = new Set<BlockKind>([BlockKind.BLOCK_KIND_HEADING, BlockKind.BLOCK_KIND_CODE]);
const PLACEHOLDER = /(\{(?:age|count|timestamp|date|weekday date|time|hex|uuid|base64)\})/;
/** Nothing but today's date: its day is named, and nothing is said of it. */
const CURRENT_DATE = /^\{weekday date\}[\s,|·–-]*(?:\{time\})?$/;

/**
 * Whether an edit is one that happens by itself: "3 hours ago" to "4 hours ago", "4,099 views" to "4,116 views", today's date beside a
 * site's name. Any other date, figure or id that differs is an edit, and so is all that differs in headings and code.
 */
export function isSelfUpdating(before: Block, after: Block): boolean {
  if (before.mask === '' || before.mask !== after.mask || NEVER_SELF_UPDATING.has(after.kind)) return false;
  if (before.links.join('\n') !== after.links.join('\n')) return false;
  if (CURRENT_DATE.test(after.mask)) return true;
  const [old, now] = [maskedParts(before), maskedParts(after)];
  return old.every(([kind, value], at) => value === now[at]?.[1] || SELF_UPDATING.has(kind));
}

/** What a block's mask stands for, piece by piece. */
function maskedParts({ text, mask }: Block): [kind: string, said: string][] {
  const parts = mask.split(PLACEHOLDER);
  const masked: [string, string][] = [];
  let from = (parts[0] ?? '').length;
  for (let at = 1; at < parts.length; at += 2) {
    const literal = parts[at + 1] ?? '';
    const isLast = at + 2 >= parts.length;
    const to = isLast ? text.length - literal.length : text.indexOf(literal, from);
    masked.push([parts[at] ?? '', text.slice(from, Math.max(from, to))]);
    from = Math.max(from, to) + literal.length;
  }
  return masked;
}
