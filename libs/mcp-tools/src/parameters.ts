import { routes } from '@tidemark/api';
import { z } from 'zod';
import { listedSchema } from './listed-schema.ts';

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Settings whose name alone does not state their form or unit. */
const DESCRIBED = new Set([
  'fields',
  'selector',
  'attribute',
  'many',
  'wait_for',
  'extract',
  'connection_id',
  'schema',
  'max_tokens',
  'actions',
  'include_paths',
  'exclude_paths',
  'url_list',
  'store_html',
  'crawl_mode',
]);

/** Settings with many parts, which describe_project_config has. */
const TYPED = new Set(['alerts', 'volatile_overrides']);

const EXAMPLES = {
  capture: [
    { only_main_content: true, wait_for: '.price', fields: { price: { selector: '.price', type: 'number' } } },
    {
      render_js: 'always',
      actions: [
        { type: 'click', selector: '#more' },
        { type: 'wait', ms: 500 },
      ],
    },
  ],
  crawl: [{ max_pages: 50, include_paths: ['/blog/**'], fields: { price: { selector: '.price' } } }],
  project: [{ max_pages: 50, exclude_paths: ['/tag/**'], store_html: 'always', notify_min_words: 5 }],
};

/**
 * Returns the schema of settings by key. The list of tools has the schema of every key; of the arguments only the form is checked, because the API
 * refuses an unknown key by name.
 */
export const settings = <T extends object>(schema: z.ZodType, examples: keyof typeof EXAMPLES) =>
  z
    .custom<T>(isObject, { error: 'expected an object of settings by key' })
    .optional()
    .meta({
      ...listedSchema(schema, { io: 'input', described: DESCRIBED, typed: TYPED }),
      description: 'Settings by key, with meanings and defaults in describe_project_config',
      examples: EXAMPLES[examples],
    });

/** Number of items of a list, so that a caller can request less than the result would have. */
export const Limit = (most: number) => z.int().min(1).max(most).optional().describe(`Items to return, 1 to ${most}`);
export const Cursor = z.string().max(2_000).optional().describe('From next of a previous result');

/** Names of the fields of an item, so that a caller can request less than the whole item. */
export const Fields = <const Names extends readonly [string, ...string[]]>(names: Names, of: string) =>
  z.array(z.enum(names)).min(1).optional().describe(`Only these fields of each ${of}, beside its url; all by default`);

/** Returns an item with the named fields and those of `always`; the whole item without names. */
export function picked<T extends object>(
  item: T,
  names: readonly string[] | undefined,
  always: readonly string[] = ['url'],
): Partial<T> {
  if (names === undefined) return item;
  const kept = new Set<string>([...always, ...names]);
  const entries = Object.entries(item).filter(([name]) => kept.has(name));
  return Object.fromEntries(entries) as Partial<T>;
}

/** The call that returns the next part of a list; null after the last one. */
export const nextPart = (tool: string, args: Readonly<Record<string, unknown>>, cursor: string | null) =>
  cursor === null ? null : { tool, arguments: { ...args, cursor } };

export const ProjectId = routes.getProject.params.shape.id;
export const RunId = routes.getPageContent.query.shape.run_id;
