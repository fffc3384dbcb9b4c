import { Action } from '@tidemark/project-config';
import { Time } from '@tidemark/results';
import { z } from 'zod';

const Selector = z.string().trim().min(1).max(1_000).describe('CSS selector');
const Coordinate = z.number().min(0).max(10_000);
const Actions = z.array(Action).max(50);

export const RecorderPoint = z
  .strictObject({ x: Coordinate, y: Coordinate })
  .describe('A point of the viewport, CSS pixels')
  .meta({ id: 'RecorderPoint' });

export const NewRecorder = z
  .strictObject({
    url: z
      .url({ protocol: /^https?$/ })
      .max(4_096)
      .optional()
      .describe('Page to open; by default the seed of the project'),
  })
  .meta({ id: 'NewRecorder' });

const session = {
  id: z.string(),
  projectId: z.string(),
  startUrl: z.string().describe('The page that was opened'),
  url: z.string().describe('The page that is shown now'),
  viewport: z
    .object({ width: z.int(), height: z.int() })
    .meta({ description: 'CSS pixels, in which points are stated', examples: [{ width: 1280, height: 800 }] }),
  actions: Actions.describe(
    'Recorded so far. Text of password fields, one-time codes and payment cards is never part of it',
  ),
  createdAt: Time,
  expiresAt: Time,
};

export const Recorder = z.object({ ...session, creditsUsed: z.int(), request_id: z.string() }).meta({ id: 'Recorder' });

export const FoundRecorder = z
  .object({
    recorder: z.object(session).meta({ id: 'RecorderState' }).nullable(),
    creditsUsed: z.int(),
    request_id: z.string(),
  })
  .meta({ id: 'FoundRecorder' });

/** Types of actions, and of inputs. */
const ACTION_TYPES = ['click', 'type', 'press', 'scroll', 'select', 'wait'] as const;

/** Fields that each type of input requires, and others that it permits. */
const INPUT_FIELDS: Readonly<
  Record<(typeof ACTION_TYPES)[number], { readonly needs: readonly string[]; readonly permits: readonly string[] }>
> = {
  click: { needs: [], permits: ['point', 'selector'] },
  type: { needs: ['text'], permits: ['selector'] },
  press: { needs: ['key'], permits: ['selector'] },
  scroll: { needs: [], permits: ['to', 'selector'] },
  select: { needs: ['selector', 'value'], permits: [] },
  wait: { needs: [], permits: ['ms', 'selector'] },
};

export const RecorderInput = z
  .strictObject({
    type: z.enum(ACTION_TYPES),
    point: RecorderPoint.optional().describe('Of a click, instead of `selector`'),
    selector: Selector.optional().describe(
      'The element; of `type` and `press` by default the focused one, of `scroll` the page, of `wait` none',
    ),
    text: z.string().min(1).max(10_000).optional().describe('Of `type`'),
    key: z.string().min(1).max(40).optional().describe('Of `press`, such as Enter, ArrowDown or Shift+Tab'),
    to: z.enum(['down', 'up', 'top', 'bottom']).optional().describe('Of `scroll`, by default down'),
    value: z.string().max(1_000).optional().describe('Of `select`: the value of the option'),
    ms: z.int().min(1).max(60_000).optional().describe('Of `wait`, by default 1,000; with a selector the maximum'),
  })
  .superRefine((input, context) => {
    const { needs, permits } = INPUT_FIELDS[input.type];
    const sent = Object.entries(input).flatMap(([name, value]) => (value === undefined ? [] : [name]));
    const report = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    for (const name of needs.filter((one) => !sent.includes(one))) report(name, `required by the type ${input.type}`);
    for (const name of sent.filter((one) => one !== 'type' && !needs.includes(one) && !permits.includes(one)))
      report(name, `not used by the type ${input.type}`);
    if (input.type === 'click' && sent.includes('point') === sent.includes('selector'))
      report('point', 'a click has either a point or a selector');
  })
  .meta({ id: 'RecorderInput' });

/** Why an input was not recorded. */
export const UNRECORDED_REASONS = ['secret', 'unreachable', 'no_target', 'failed', 'edit'] as const;

export const RecorderStep = z
  .object({
    actions: Actions.describe('All recorded actions'),
    unrecorded: z
      .enum(UNRECORDED_REASONS)
      .nullable()
      .describe(
        'null: recorded; secret: text of a password, a code or a payment card; unreachable: in a frame or a shadow tree, and not performed; no_target: nothing accepts the input; failed: see `note`; edit: changed a recorded text, or has no effect that an action repeats',
      ),
    note: z.string().describe('Reason of a failure, or a remark'),
    url: z.string().describe('The page that is shown now'),
    list: z
      .object({
        selector: z.string(),
        options: z.array(z.object({ value: z.string(), label: z.string(), selected: z.boolean() })),
      })
      .nullable()
      .describe('The list of options that was clicked; an input of type `select` chooses one'),
    creditsUsed: z.int(),
    request_id: z.string(),
  })
  .meta({ id: 'RecorderStep' });

export const PickedElement = z
  .object({
    element: z
      .object({
        selector: z.string().describe('Matches this element only'),
        tag: z.string(),
        text: z.string().describe('At most 1,000 characters'),
        similar: z
          .object({ selector: z.string(), count: z.int() })
          .nullable()
          .describe('Elements like it, such as all entries of a list'),
        box: z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() }),
      })
      .meta({ id: 'PickedElementState' })
      .nullable()
      .describe('null: nothing there that a selector reaches'),
    creditsUsed: z.int(),
    request_id: z.string(),
  })
  .meta({ id: 'PickedElement' });

export const RecorderActions = z.strictObject({ actions: Actions }).meta({ id: 'RecorderActions' });

export const PlayedActions = z
  .object({
    results: z
      .array(
        z.object({
          type: z.enum(ACTION_TYPES),
          selector: z.string().nullable(),
          ok: z.boolean(),
          ms: z.number(),
          note: z.string(),
        }),
      )
      .describe('One per performed action; a failed one is the last'),
    failed: z.string().nullable().describe('Why the page could not be opened'),
    url: z.string(),
    creditsUsed: z.int(),
    request_id: z.string(),
  })
  .meta({ id: 'PlayedActions' });

export type FoundRecorder = z.output<typeof FoundRecorder>;
export type RecorderInput = z.output<typeof RecorderInput>;
export type RecorderStep = z.output<typeof RecorderStep>;
export type PlayedActions = z.output<typeof PlayedActions>;
