import type { Element } from './page-tree.ts';

/** What siblings of one kind share: the tag and the first class name. */
export function makeOf({ tag, attributes }: Element): string {
  const names = attributes['class'];
  if (names === undefined) return `${tag} `;
  let from = 0;
  while (names.charCodeAt(from) <= SPACE) from++;
  let to = from;
  while (names.charCodeAt(to) > SPACE) to++;
  return `${tag} ${names.slice(from, to)}`;
}

const SPACE = 32;
