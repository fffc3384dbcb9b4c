import { Time } from '@tidemark/results';
import { z } from 'zod';
import { nameText, wholeList } from './parts.ts';

/** A path on this origin: `//host` and `/\\host` would be another one. */
const ViewPath = z
  .string()
  .min(1)
  .max(2_000)
  .regex(/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/, 'expected a path of the console, such as /projects')
  .describe('Path and query of a page of the console, percent-encoded');

export const ViewName = nameText(100).min(1);
export const NewSavedView = z.strictObject({ name: ViewName, path: ViewPath }).meta({ id: 'NewSavedView' });

const view = { id: z.string(), name: z.string(), path: z.string(), createdAt: Time };

export const SavedViews = z
  .object({
    data: z.array(z.object(view).meta({ id: 'SavedViewItem' })),
    ...wholeList,
    creditsUsed: z.int(),
    request_id: z.string(),
  })
  .meta({ id: 'SavedViews' });
export const SavedView = z.object({ ...view, creditsUsed: z.int(), request_id: z.string() }).meta({ id: 'SavedView' });
