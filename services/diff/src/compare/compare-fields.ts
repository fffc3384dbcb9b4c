import type { HeadFact } from '@tidemark/contracts/page/v1/blocks';
import type { FieldChange } from '../domain/page-delta.ts';

/**
 * What the head says otherwise than before, in the order of the later reading. Of a name with several values, only those that came and went
 * are told.
 */
export function compareFields(before: readonly HeadFact[], after: readonly HeadFact[]): FieldChange[] {
  const [old, now] = [byName(before), byName(after)];
  return [...new Set([...now.keys(), ...old.keys()])].flatMap((name): FieldChange[] => {
    const [from, to] = [old.get(name) ?? [], now.get(name) ?? []];
    const gone = from.filter((value) => !to.includes(value));
    const come = to.filter((value) => !from.includes(value));
    if (gone.length === 0 && come.length === 0) return [];
    return [
      {
        name,
        ...(gone.length > 0 ? { from: gone.join(SEPARATOR) } : {}),
        ...(come.length > 0 ? { to: come.join(SEPARATOR) } : {}),
      },
    ];
  });
}

const SEPARATOR = ', ';
/** Values of one name; pages that repeat a tag a million times are compared by their first. */
const VALUES_CAP = 500;

function byName(facts: readonly HeadFact[]): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const { name, value } of facts) {
    const known = values.get(name);
    if (known === undefined) values.set(name, [value]);
    else if (known.length < VALUES_CAP) known.push(value);
  }
  return values;
}
