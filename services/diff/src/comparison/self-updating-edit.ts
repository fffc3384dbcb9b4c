import { type Block, BlockKind } from '@tidemark/contracts/page/v1/blocks';

/** Mask placeholders of ages, counters and machine timestamps, which change without an edit. */
const SELF_UPDATING = new Set(['{age}', '{count}', '{timestamp}']);
/** Kinds whose text is always authored. */
const NEVER_SELF_UPDATING = new Set<BlockKind>([BlockKind.BLOCK_KIND_HEADING, BlockKind.BLOCK_KIND_CODE]);
const PLACEHOLDER = /(\{(?:age|count|timestamp|date|weekday date|time|hex|uuid|base64)\})/;
/** Only the current date with its weekday, without other text. */
const CURRENT_DATE = /^\{weekday date\}[\s,|·–-]*(?:\{time\})?$/;

/**
 * Whether an edit happens without an author: "3 hours ago" to "4 hours ago", "4,099 views" to "4,116 views", the
 * current date in a page header. Other dates, numbers and ids, and any edit in headings and code, are real edits.
 */
export function isSelfUpdating(before: Block, after: Block): boolean {
  const { mask } = after;
  if (mask === undefined || before.mask !== mask || NEVER_SELF_UPDATING.has(after.kind)) return false;
  if (before.links.join('\n') !== after.links.join('\n')) return false;
  if (CURRENT_DATE.test(mask)) return true;
  const [old, now] = [maskedParts(before.text, mask), maskedParts(after.text, mask)];
  return old.every(([kind, value], at) => value === now[at]?.[1] || SELF_UPDATING.has(kind));
}

/** Returns the placeholders of a block's mask with the text each stands for. */
function maskedParts(text: string, mask: string): [kind: string, said: string][] {
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
