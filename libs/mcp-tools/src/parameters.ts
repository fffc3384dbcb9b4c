import { routes } from '@tidemark/api';
import { z } from 'zod';

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns the schema of settings by key, of which only the form is checked: the API refuses an unknown key by name. The catalogue of keys
 * would exceed the size of the tool list.
 */
export const settings = <T extends object>() =>
  z
    .custom<T>(isObject, { error: 'expected an object of settings by key' })
    .optional()
    .meta({
      type: 'object',
      description: 'Settings by key; describe_project_config lists the keys, and with keys their schemas',
      examples: [{ max_pages: 50, fields: { price: { selector: '.price' } } }],
    });

/** Number of items of a list, so that a caller can request less than the result would have. */
export const Limit = (most: number) => z.int().min(1).max(most).optional().describe(`Items to return, 1 to ${most}`);
export const Cursor = z.string().max(2_000).optional().describe('From next of a previous result');

/** The call that returns the next part of a list; null after the last one. */
export const nextPart = (tool: string, args: Readonly<Record<string, unknown>>, cursor: string | null) =>
  cursor === null ? null : { tool, arguments: { ...args, cursor } };

export const ProjectId = routes.getProject.params.shape.id;
export const RunId = routes.getPageContent.query.shape.run_id;
