import type { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import type { FieldChange } from '../domain/page-delta.ts';

type Reading = Pick<PageBlocks, 'head' | 'blocks'>;

/**
 * Compares the head values of two readings, in the order of the later one. Of a name with several values only added and
 * removed values are listed. Text that became or ceased to be a heading is a markup change and not listed.
 */
export function compareHead(before: Reading, after: Reading): FieldChange[] {
  const [old, now] = [byName(before), byName(after)];
  const differences = [...new Set([...now.keys(), ...old.keys()])].map((name): HeadDifference => {
    const [from, to] = [old.get(name) ?? [], now.get(name) ?? []];
    return {
      name,
      removed: from.filter((value) => !to.includes(value)),
      added: to.filter((value) => !from.includes(value)),
    };
  });
  const heading = differences.find(({ name }) => name === 'h1');
  const markedUp = heading === undefined ? NO_HEADINGS : markedUpHeadings(heading, before, after);
  return differences.flatMap((difference): FieldChange[] => {
    const { name, removed, added } = difference;
    if ((removed.length === 0 && added.length === 0) || isMarkupOnly(difference, markedUp)) return [];
    return [
      {
        name,
        ...(removed.length > 0 ? { from: removed.join(SEPARATOR) } : {}),
        ...(added.length > 0 ? { to: added.join(SEPARATOR) } : {}),
      },
    ];
  });
}

interface HeadDifference {
  readonly name: string;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

const NO_HEADINGS: ReadonlySet<string> = new Set();

/** Headings that were only added or only removed and whose text is in a block of the other reading. */
function markedUpHeadings({ removed, added }: HeadDifference, before: Reading, after: Reading): ReadonlySet<string> {
  if ((removed.length === 0) === (added.length === 0)) return NO_HEADINGS;
  const blockTexts = new Set((added.length > 0 ? before : after).blocks.map(({ text }) => text));
  return new Set([...removed, ...added].filter((value) => blockTexts.has(value)));
}

/**
 * Whether the change is only one of markup. The title may follow the heading: a page without a title of its own uses
 * it.
 */
function isMarkupOnly({ name, removed, added }: HeadDifference, markedUp: ReadonlySet<string>): boolean {
  if ((name !== 'h1' && name !== 'title') || (removed.length > 0 && added.length > 0)) return false;
  return [...removed, ...added].every((value) => markedUp.has(value));
}

const SEPARATOR = ', ';
/** Maximum number of compared values per name; further values are ignored. */
const MAX_VALUES = 500;

function byName({ head }: Reading): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const { name, value } of head) {
    const known = values.get(name);
    if (known === undefined) values.set(name, [value]);
    else if (known.length < MAX_VALUES) known.push(value);
  }
  return values;
}
