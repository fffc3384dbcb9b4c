import { join } from 'node:path';
import { findEmptyValues } from '../empty-values/find-empty-values.ts';
import type { Check } from './check.ts';

const REASON =
  'an optional field without a value is undefined; compare with undefined, or let its comment state what absent and empty mean';

/** Returns the check that no code treats an empty value of an optional field of a message as its absence. */
export const emptyValueCheck = (root: string): Check => ({
  name: 'empty values',
  async run() {
    const found = findEmptyValues(root, join(root, 'tools/empty-values/tsconfig.json'), '/libs/contracts/src/gen/');
    const problems = found.map(({ path, line, what }) => `${path}:${line} ${what} [optional-field: ${REASON}]`);
    return { summary: 'optional fields of messages', problems };
  },
});
