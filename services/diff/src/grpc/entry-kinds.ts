import { AppError } from '@tidemark/errors';

const KINDS: readonly string[] = [
  '',
  'added',
  'removed',
  'modified',
  'withheld',
  'unverified',
  'same',
  'template',
  'changed',
];

/** @throws AppError validation if entries have no such kind */
export function requireKind(kind: string): void {
  if (!KINDS.includes(kind)) throw new AppError('validation', `kind: unknown kind "${kind}"`);
}
