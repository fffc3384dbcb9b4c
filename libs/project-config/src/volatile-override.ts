import { z } from 'zod';

/** Decisions in one configuration. */
export const MAX_VOLATILE_OVERRIDES = 500;
/** Characters of the text that shows what a decision is about. */
export const MAX_OVERRIDE_TEXT = 200;

/** A decision about a place on the pages of one template. */
export const VolatileOverride = z
  .strictObject({
    place: z
      .string()
      .regex(/^[\w-]{16}$/, 'expected the place of an ignored change, 16 characters')
      .describe('`place` of an ignored change: the position of a block on pages of the same template'),
    ignore: z.boolean().describe('false: changes there are always reported; true: they are always ignored'),
    url: z.string().max(2_048).optional().describe('The page of the decision; only shown'),
    text: z.string().max(MAX_OVERRIDE_TEXT).optional().describe('The text of the block at the decision; only shown'),
  })
  .meta({ id: 'VolatileOverride' });
export type VolatileOverride = z.output<typeof VolatileOverride>;

export const VolatileOverrides = z
  .array(VolatileOverride)
  .max(MAX_VOLATILE_OVERRIDES)
  .refine((listed) => new Set(listed.map(({ place }) => place)).size === listed.length, 'expected each place once');
