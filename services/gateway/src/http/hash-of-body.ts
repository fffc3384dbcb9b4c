import { createHash } from 'node:crypto';

/** Serialises JSON with sorted keys, so that equal requests have equal hashes. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/** Returns the SHA-256 of a request body; the order of its keys does not matter. */
export const hashOfBody = (body: unknown): string => createHash('sha256').update(canonicalJson(body)).digest('hex');
