import { z } from 'zod';
import type { Digest } from '../notifications/notification.ts';
import { plain } from '../report/plain-text.ts';

const MAX_SUMMARY_CHARS = 1_200;
const MAX_POINT_CHARS = 300;
const MAX_POINTS = 5;

const text = (most: number) =>
  z
    .string()
    .max(most)
    .transform((value) => plain(value, most))
    .refine((value) => value !== '');

const DigestText = z.object({
  summary: text(MAX_SUMMARY_CHARS),
  points: z.array(text(MAX_POINT_CHARS)).max(MAX_POINTS),
  significant: z.boolean(),
});

const FENCE = '```';
const FENCED_JSON = `${FENCE}json`;

/** Parses a model's text as a digest; null where it does not match the schema and its limits. */
export function parseDigest(value: string): Digest | null {
  try {
    return DigestText.safeParse(JSON.parse(withoutFence(value.trim()))).data ?? null;
  } catch {
    return null;
  }
}

/** Removes the code fence that some models add around JSON. */
function withoutFence(text: string): string {
  if (!text.startsWith(FENCE) || !text.endsWith(FENCE) || text.length < FENCE.length + FENCED_JSON.length) return text;
  const opening = text.startsWith(FENCED_JSON) ? FENCED_JSON : FENCE;
  return text.slice(opening.length, -FENCE.length);
}
