import { z } from 'zod';
import { plain } from '../notices/plain-text.ts';
import type { Digest } from '../telling/ports.ts';

const MAX_SUMMARY_CHARS = 1_200;
const MAX_POINT_CHARS = 300;
const MAX_POINTS = 5;

const text = (most: number) =>
  z
    .string()
    .max(most)
    .transform((said) => plain(said, most))
    .refine((said) => said !== '');

const Said = z.object({
  summary: text(MAX_SUMMARY_CHARS),
  points: z.array(text(MAX_POINT_CHARS)).max(MAX_POINTS),
  significant: z.boolean(),
});

const FENCE = '```';
const FENCED_JSON = `${FENCE}json`;

/** What a model said, as a digest; null for anything that is not one, whole and within its bounds. */
export function readDigest(said: string): Digest | null {
  try {
    return Said.safeParse(JSON.parse(withoutFence(said.trim()))).data ?? null;
  } catch {
    return null;
  }
}

/** Some models put what they were asked for into a fence, whatever they were told. */
function withoutFence(text: string): string {
  if (!text.startsWith(FENCE) || !text.endsWith(FENCE) || text.length < FENCE.length + FENCED_JSON.length) return text;
  const opening = text.startsWith(FENCED_JSON) ? FENCED_JSON : FENCE;
  return text.slice(opening.length, -FENCE.length);
}
