import type { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import type { FieldChange } from '../domain/page-delta.ts';

type Reading = Pick<PageBlocks, 'head' | 'blocks'>;

/**
 * What the head says otherwise than before, in the order of the later reading. Of a name with several values, only those that came and went
 * are told. That words of the page were made its heading, or are none any more, is markup: no field tells of it.
 */
export function compareFields(before: Reading, after: Reading): FieldChange[] {
  const [old, now] = [byName(before), byName(after)];
  const told = [...new Set([...now.keys(), ...old.keys()])].map((name): Difference => {
    const [from, to] = [old.get(name) ?? [], now.get(name) ?? []];
    return {
      name,
      gone: from.filter((value) => !to.includes(value)),
      come: to.filter((value) => !from.includes(value)),
    };
  });
  const heading = told.find(({ name }) => name === 'h1');
  const remarked = heading === undefined ? NONE : remarkedIn(heading, before, after);
  return told.flatMap((difference): FieldChange[] => {
    const { name, gone, come } = difference;
    if ((gone.length === 0 && come.length === 0) || isRemarked(difference, remarked)) return [];
    return [
      {
        name,
        ...(gone.length > 0 ? { from: gone.join(SEPARATOR) } : {}),
        ...(come.length > 0 ? { to: come.join(SEPARATOR) } : {}),
      },
    ];
  });
}

interface Difference {
  readonly name: string;
  readonly gone: readonly string[];
  readonly come: readonly string[];
}

const NONE: ReadonlySet<string> = new Set();

/** Headings that only came, or only went, and whose words the other reading says as well. */
function remarkedIn({ gone, come }: Difference, before: Reading, after: Reading): ReadonlySet<string> {
  if ((gone.length === 0) === (come.length === 0)) return NONE;
  const said = new Set((come.length > 0 ? before : after).blocks.map(({ text }) => text));
  return new Set([...gone, ...come].filter((value) => said.has(value)));
}

/** A page without a title of its own is called by its heading. */
function isRemarked({ name, gone, come }: Difference, remarked: ReadonlySet<string>): boolean {
  if ((name !== 'h1' && name !== 'title') || (gone.length > 0 && come.length > 0)) return false;
  return [...gone, ...come].every((value) => remarked.has(value));
}

const SEPARATOR = ', ';
/** Values of one name; pages that repeat a tag a million times are compared by their first. */
const VALUES_CAP = 500;

function byName({ head }: Reading): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const { name, value } of head) {
    const known = values.get(name);
    if (known === undefined) values.set(name, [value]);
    else if (known.length < VALUES_CAP) known.push(value);
  }
  return values;
}
