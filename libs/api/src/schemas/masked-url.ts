import { z } from 'zod';

/** Replaces everything after the host in a masked URL. */
const MASK = '/***';

/** Masks a URL whose path is a secret: `https://hooks.example/***`. */
export function maskUrl(url: string): string {
  return `${URL.parse(url)?.origin ?? ''}${MASK}`;
}

/** Returns whether a value is a masked URL. */
export const isMaskedUrl = (value: unknown): boolean =>
  typeof value === 'string' && URL.canParse(value) && value === maskUrl(value);

/** A masked URL that a client sends back. */
export const MaskedUrl = z
  .string()
  .max(2_048)
  .refine(isMaskedUrl, 'expected a URL')
  .describe('The masked URL, which keeps the stored one');
