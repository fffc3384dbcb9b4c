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
    .meta({ type: 'object', description: 'Settings by key; describe_project_config lists the keys' });

export const ProjectId = routes.getProject.params.shape.id;
export const RunId = routes.getPageContent.query.shape.run_id;
