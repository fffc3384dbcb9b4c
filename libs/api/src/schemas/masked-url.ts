import { z } from 'zod';

/** What stands in a masked address for all that follows its host. */
const MASK = '/***';

/** An address whose path is a secret, as it may be shown: `https://hooks.example/***`. */
export function maskUrl(url: string): string {
  return `${URL.parse(url)?.origin ?? ''}${MASK}`;
}

/** Whether this is an address as it is shown, not one to be used. */
export const isMaskedUrl = (value: unknown): boolean =>
  typeof value === 'string' && URL.canParse(value) && value === maskUrl(value);

/** An address sent back as it was shown. */
export const MaskedUrl = z
  .string()
  .max(2_048)
  .refine(isMaskedUrl, 'expected an address')
  .describe('The address as it was shown, which keeps the stored one');
