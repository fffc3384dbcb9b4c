import { maskSecrets, ProjectConfig } from '@tidemark/project-config';
import { z } from 'zod';
import { destinationSettings } from './schemas/destination.ts';
import { nameText, SiteUrl } from './schemas/parts.ts';
import { ProjectName, ProjectTags, projectSettings } from './schemas/project.ts';

const Key = z.string().regex(/^[\w.-]{1,100}$/, 'expected 1 to 100 letters, digits and . _ -');

const DestinationEntry = z
  .strictObject({
    connection: z
      .string()
      .min(1)
      .max(100)
      .describe('Name or id of a connection of the workspace; its secrets are not in the file'),
    ...destinationSettings,
  })
  .meta({ id: 'SitesFileDestination' });

const ProjectEntry = z
  .strictObject({
    seed: SiteUrl,
    name: ProjectName.optional().describe('Name that people see; by default the key of the project in the file'),
    tags: ProjectTags.optional().describe('By default those of `defaults`'),
    ...projectSettings,
    config: ProjectConfig.optional().describe('Keys that are not given have their defaults'),
    destinations: z
      .record(nameText(100).min(1), DestinationEntry)
      .optional()
      .describe('Destinations of the project by name. Settings that are not given are not compared'),
  })
  .meta({ id: 'SitesFileProject' });

/** The file of `tidemark apply`: projects of a workspace with their schedules and destinations. */
export const SitesFile = z
  .strictObject({
    version: z.literal(1),
    name: Key.describe(
      'Name of this set of projects. The project `harbour` of the set `docs` has the reference docs/harbour',
    ),
    defaults: z
      .strictObject({ tags: ProjectTags.optional(), ...projectSettings, config: ProjectConfig.optional() })
      .optional()
      .describe('Settings of every project that does not set them; `config` key by key'),
    projects: z.record(Key, ProjectEntry).describe('Projects by key. A key is stable: another key is another project'),
  })
  .meta({ id: 'SitesFile', title: 'Projects of a Tidemark workspace' });
export type SitesFile = z.output<typeof SitesFile>;

/** Returns the JSON Schema of the file, for editors. */
export const sitesFileSchema = (): Readonly<Record<string, unknown>> =>
  z.toJSONSchema(SitesFile, { io: 'input', unrepresentable: 'any' });

/** Returns a configuration as the API shows it. */
export const shownConfig = (config: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  maskSecrets(config);
