import { z } from 'zod';

const picture = z.object({
  runId: z.string(),
  pageId: z.string(),
  width: z.int(),
  height: z.int(),
  image: z.string().describe('Path of the JPEG'),
});

/** Visual diff of the screenshots of two readings of a page. */
export const ScreenshotChanges = z
  .object({
    url: z.string(),
    before: picture,
    after: picture,
    changedShare: z
      .number()
      .nullable()
      .describe('Share of pixels that changed, were added or removed, 0 to 1; null if it could not be computed'),
    areas: z
      .array(
        z.object({
          x: z.int(),
          y: z.int(),
          width: z.int(),
          height: z.int(),
          share: z.number().describe('Share of its pixels that changed, 0 to 1'),
          removedHeight: z.int().describe('Number of pixel rows of the earlier screenshot that were removed here'),
        }),
      )
      .describe(
        'In pixels of the later screenshot, largest first. An insertion or removal is one area; content that it shifted is not reported',
      ),
    truncated: z.boolean().describe('Whether there were more areas'),
    heightDiffers: z.boolean(),
    image: z.string().describe('Path of the later screenshot, dimmed, with the changes marked'),
    degraded: z
      .enum(['cut', 'out_of_time', 'unreadable'])
      .nullable()
      .describe('cut: only the upper part of a very large screenshot was compared'),
    creditsUsed: z.int(),
    request_id: z.string(),
  })
  .meta({ id: 'ScreenshotChanges' });
export type ScreenshotChanges = z.output<typeof ScreenshotChanges>;
