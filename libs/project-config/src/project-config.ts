import { z } from 'zod';
import { configEntries, describeEntry } from './config.ts';
import { isStorable } from './config-values.ts';
import { SCOPE_KEYS } from './scope-keys.ts';

const described = configEntries.map(([key, entry]) => [key, entry.schema.describe(describeEntry(entry))] as const);

/** The only key with an alias. */
const ALIAS = ['STORE_HTML', 'store_html'] as const;
const aliased = (fields: Record<string, z.ZodType>): Record<string, z.ZodType> => ({
  ...fields,
  ...(fields[ALIAS[1]] === undefined ? {} : { [ALIAS[0]]: fields[ALIAS[1]] }),
});

/** Replaces the alias by the key. */
function unaliased(config: Record<string, unknown>, ctx: z.core.$RefinementCtx): Record<string, unknown> {
  const { [ALIAS[0]]: other, ...settings } = config;
  if (other === undefined) return settings;
  if (settings[ALIAS[1]] !== undefined) {
    ctx.addIssue({ code: 'custom', path: [ALIAS[0]], message: `is an alias of ${ALIAS[1]}: send only one of them` });
  }
  return { ...settings, [ALIAS[1]]: other };
}

/** Rejects values that PostgreSQL cannot store and names their keys. */
export const storable: z.core.CheckFn<Record<string, unknown>> = ({ value, issues }) => {
  for (const [key, setting] of Object.entries(value).filter(([, each]) => !isStorable(each)))
    issues.push({ code: 'custom', path: [key], message: 'must not contain NUL or a lone surrogate', input: setting });
};

const settings = (fields: Record<string, z.ZodType>, id: string) =>
  z.strictObject(aliased(fields)).partial().check(storable).transform(unaliased).meta({ id });

/** Configuration of a project: every key of the catalogue. An unknown key is rejected by name. */
export const ProjectConfig = settings(Object.fromEntries(described), 'ProjectConfig');
export type ProjectConfig = z.output<typeof ProjectConfig>;

const nullable = ([key, schema]: (typeof described)[number]) =>
  [key, schema.nullable().describe(schema.description ?? '')] as const;

/** A partial configuration: keys that are not given stay unchanged. */
export const ProjectConfigPatch = settings(Object.fromEntries(described.map(nullable)), 'ProjectConfigPatch');

const isOfScope = ([key]: readonly [string, unknown]): boolean => Object.hasOwn(SCOPE_KEYS, key);

/** Unsaved changes for a preview: keys of the scope at the top level, all other keys inside `config`. */
export const UnsavedConfig = z
  .strictObject({
    ...Object.fromEntries(described.filter(isOfScope).map(nullable)),
    config: ProjectConfigPatch.describe('Changes of any keys, merged into the saved configuration'),
  })
  .partial()
  .check(storable)
  .meta({ id: 'UnsavedConfig' });
