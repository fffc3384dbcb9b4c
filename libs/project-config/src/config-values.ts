import { z } from 'zod';

/** Types that the text of a field can be converted to. */
export const FIELD_TYPES = ['string', 'number', 'boolean', 'date', 'url', 'html', 'markdown'] as const;

/** A CSS selector; scrape checks its syntax. */
export const Selector = z.string().min(1).max(1_000);
export const Selectors = z.array(Selector).max(100);
export const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
/** One line of text. */
export const Line = z
  .string()
  .max(8_000)
  .regex(/^(?:\P{Cc}|\t)*$/u, 'expected one line without control characters');

/** Text of a header: characters of Latin-1, which is all that HTTP/1.1 can carry (RFC 9110 section 5.5), without control characters. */
export const HeaderText = z
  .string()
  .max(8_000)
  .regex(/^[\t\x20-\x7e\xa0-\xff]*$/, 'expected one line of Latin-1 characters without control characters');

/** Headers of framing and routing. A client sets them itself; another value would allow request splitting. */
export const RESERVED_HEADERS: readonly string[] = [
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

export const HeaderName = z
  .string()
  .regex(HEADER_NAME, 'expected a header name')
  .refine((name) => !RESERVED_HEADERS.includes(name.toLowerCase()), 'a header of framing or routing cannot be set');

export const WaitFor = z
  .union([z.int().min(0).max(60_000), z.string().min(1).max(1_000)])
  .describe('A CSS selector that must be visible, milliseconds after the page is stable, or network_idle')
  .meta({ id: 'WaitFor' });
export type WaitFor = z.output<typeof WaitFor>;

export const Action = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('click'), selector: Selector }),
    z.strictObject({ type: z.literal('type'), selector: Selector, text: z.string().max(10_000) }),
    z.strictObject({ type: z.literal('press'), key: z.string().min(1).max(40), selector: Selector.optional() }),
    z.strictObject({
      type: z.literal('scroll'),
      to: z.enum(['down', 'up', 'top', 'bottom']).default('down'),
      selector: Selector.optional().describe('Scroll this element into view instead'),
    }),
    z.strictObject({
      type: z.literal('wait'),
      ms: z.int().min(1).max(60_000).default(1_000).describe('Duration; with a selector the maximum'),
      selector: Selector.optional(),
    }),
    z.strictObject({
      type: z.literal('select'),
      selector: Selector.describe('A select element'),
      value: z.string().max(1_000).describe('The value of the option'),
    }),
  ])
  .meta({ id: 'Action' });
export type Action = z.output<typeof Action>;

export const FieldRule = z
  .strictObject({
    selector: Selector.describe('CSS, or XPath if it starts with / or an opening parenthesis'),
    attribute: z.string().min(1).max(200).optional().describe('Use this attribute instead of the text'),
    type: z.enum(FIELD_TYPES).default('string'),
    many: z.boolean().default(false).describe('Return all matches as a list instead of the first match'),
  })
  .meta({ id: 'FieldRule' });

const MAX_JSON_DEPTH = 20;
const MAX_JSON_CHARACTERS = 10_000;

/** Returns whether a value nests at most this deep; the recursion is bounded by the same depth. */
const nestsAtMost = (value: unknown, depth: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (depth > 0 && Object.values(value).every((part) => nestsAtMost(part, depth - 1)));

/** A small JSON object that is stored and returned unchanged. */
export const JsonObject = z
  .record(z.string().max(100), z.unknown())
  .refine((value) => nestsAtMost(value, MAX_JSON_DEPTH), {
    error: `expected at most ${MAX_JSON_DEPTH} levels of JSON`,
    abort: true,
  })
  .refine(
    (value) => JSON.stringify(value).length <= MAX_JSON_CHARACTERS,
    `expected at most ${MAX_JSON_CHARACTERS.toLocaleString('en')} characters of JSON`,
  );

/** Returns whether PostgreSQL can store every text in a value: no NUL and no lone surrogate. */
export const isStorable = (value: unknown): boolean => {
  if (typeof value === 'string') return !value.includes('\u0000') && value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, part]) => isStorable(key) && isStorable(part));
};
