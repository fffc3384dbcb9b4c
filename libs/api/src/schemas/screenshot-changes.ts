import { z } from 'zod';

const picture = z.object({
  runId: z.string(),
  pageId: z.string(),
  width: z.int(),
  height: z.int(),
  image: z.string().describe('Where the JPEG is'),
});

/** The screenshots of two readings of a page, and where they differ to the eye. */
export const ScreenshotChanges = z
  .object({
    url: z.string(),
    before: picture,
    after: picture,
    changedShare: z
      .number()
      .nullable()
      .describe('Of all pixels those that changed, came or went, 0 to 1; null: it could not be told'),
    areas: z
      .array(
        z.object({
          x: z.int(),
          y: z.int(),
          width: z.int(),
          height: z.int(),
          share: z.number().describe('Of its pixels those that changed, 0 to 1'),
          removedHeight: z.int().describe('Rows of the earlier picture that stood here and are gone'),
        }),
      )
      .describe(
        'In pixels of the later picture, the largest first. What came or went is one area: what it pushed up or down is not',
      ),
    truncated: z.boolean().describe('There were more areas'),
    heightDiffers: z.boolean(),
    image: z.string().describe('Where the later picture is, paler, with the changes marked'),
    degraded: z
      .enum(['cut', 'out_of_time', 'unreadable'])
      .nullable()
      .describe('cut: only the upper part of a very large picture was compared'),
    creditsUsed: z.int(),
    request_id: z.string(),
  })
  .meta({ id: 'ScreenshotChanges' });
export type ScreenshotChanges = z.output<typeof ScreenshotChanges>;
