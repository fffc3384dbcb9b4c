import { z } from 'zod';
import { configEntries, sayEntry } from './config.ts';
import { isStorable } from './config-values.ts';
import { SCOPE_KEYS } from './scope-keys.ts';

const described = configEntries.map(([key, entry]) => [key, entry.schema.describe(sayEntry(entry))] as const);

/** The one key that has two names. */
const ALIAS = ['STORE_HTML', 'store_html'] as const;
const aliased = (fields: Record<string, z.ZodType>): Record<string, z.ZodType> => ({
  ...fields,
  ...(fields[ALIAS[1]] === undefined ? {} : { [ALIAS[0]]: fields[ALIAS[1]] }),
});

/** Under its one name. */
function unaliased(config: Record<string, unknown>, ctx: z.core.$RefinementCtx): Record<string, unknown> {
  const { [ALIAS[0]]: other, ...settings } = config;
  if (other === undefined) return settings;
  if (settings[ALIAS[1]] !== undefined) {
    ctx.addIssue({ code: 'custom', path: [ALIAS[0]], message: `is ${ALIAS[1]} by another name: send one of them` });
  }
  return { ...settings, [ALIAS[1]]: other };
}

/** Refuses, by its key, what no database keeps. */
export const storable: z.core.CheckFn<Record<string, unknown>> = ({ value, issues }) => {
  for (const [key, setting] of Object.entries(value).filter(([, each]) => !isStorable(each)))
    issues.push({ code: 'custom', path: [key], message: 'holds a NUL or half a character', input: setting });
};

const settings = (fields: Record<string, z.ZodType>, id: string) =>
  z.strictObject(aliased(fields)).partial().check(storable).transform(unaliased).meta({ id });

/** Configuration a project takes: every key of the catalogue. An unknown key is refused by name. */
export const ProjectConfig = settings(Object.fromEntries(described), 'ProjectConfig');
export type ProjectConfig = z.output<typeof ProjectConfig>;

const nullable = ([key, schema]: (typeof described)[number]) =>
  [key, schema.nullable().describe(schema.description ?? '')] as const;

/** A change of configuration: keys that aren't named stay as they are. */
export const ProjectConfigPatch = settings(Object.fromEntries(described.map(nullable)), 'ProjectConfigPatch');

const isOfScope = ([key]: readonly [string, unknown]): boolean => Object.hasOwn(SCOPE_KEYS, key);

/** Changes that are tried and not kept: keys of the scope by themselves, any other within `config`. */
export const UnsavedConfig = z
  .strictObject({
    ...Object.fromEntries(described.filter(isOfScope).map(nullable)),
    config: ProjectConfigPatch.describe('Changes of any keys, merged into the saved configuration'),
  })
  .partial()
  .check(storable)
  .meta({ id: 'UnsavedConfig' });
