import { parseCompletion } from '@tidemark/models';
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

/** Parses a model's text as a digest; null where it does not match the schema and its limits. */
export const parseDigest = (value: string): Digest | null => DigestText.safeParse(parseCompletion(value)).data ?? null;
