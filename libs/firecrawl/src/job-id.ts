/** Crockford's alphabet, as in the ids of this service: a prefix and 26 characters for 128 bits. */
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
const OWN_ID = /^[a-z]+_([0-7][0-9a-hjkmnp-tv-z]{25})$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const GROUPS = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/;

/** `run` for crawls, `job` for batches and maps. */
export type JobPrefix = 'run' | 'job';

/** Returns the id of a job as a UUID with the same bits: the command line of Firecrawl accepts no other ids. */
export function toUuid(id: string): string {
  const [, digits] = OWN_ID.exec(id) ?? [];
  if (digits === undefined) return id;
  const bits = [...digits].reduce((sum, digit) => sum * 32n + BigInt(DIGITS.indexOf(digit)), 0n);
  return bits.toString(16).padStart(32, '0').replace(GROUPS, '$1-$2-$3-$4-$5');
}

/** Returns the id that a UUID of `toUuid` has in this service. Other texts are returned unchanged. */
export function toOwnId(id: string, prefix: JobPrefix): string {
  if (!UUID.test(id)) return id;
  let bits = BigInt(`0x${id.replaceAll('-', '')}`);
  let digits = '';
  for (let at = 0; at < 26; at += 1) {
    digits = `${DIGITS[Number(bits % 32n)]}${digits}`;
    bits /= 32n;
  }
  return `${prefix}_${digits}`;
}
