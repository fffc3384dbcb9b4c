import { Time } from '@tidemark/results';
import { z } from 'zod';
import { nothing, route } from '../route.ts';
import { Cursor, limit, listOf } from '../schemas/parts.ts';
import { Project } from '../schemas/project.ts';

const tag = 'Projects';
const ofProject = z.strictObject({ id: z.string().describe('The project, such as prj_01j…') });

/** A version of the configuration of a project. */
const ConfigVersion = z
  .object({
    version: z.int(),
    changedBy: z.string().describe('Id of the key or person that made it'),
    changedAt: Time,
    keys: z.array(z.string()).describe('Keys whose values differ from the version before'),
    restoredFrom: z.int().nullable().describe('The version that it restored'),
    config: z.record(z.string(), z.unknown()).describe('Keys that were set; secrets are masked'),
  })
  .meta({ id: 'ConfigVersion' });
export type ConfigVersion = z.output<typeof ConfigVersion>;

export const configVersionRoutes = {
  listConfigVersions: route({
    id: 'listConfigVersions',
    method: 'get',
    path: '/projects/{id}/config/versions',
    tag,
    scope: 'read',
    summary: 'The versions of the configuration, newest first',
    description:
      'Each change of the configuration makes a version. The newest 50 are kept. A response may have fewer than `limit` versions if the configurations are large; `next` continues the list.',
    params: ofProject,
    query: z.strictObject({ cursor: Cursor, limit: limit(20, 1_000) }),
    body: nothing,
    responses: { 200: listOf(ConfigVersion).meta({ id: 'ConfigVersions' }) },
  }),
  restoreConfigVersion: route({
    id: 'restoreConfigVersion',
    usesLogin: true,
    method: 'post',
    path: '/projects/{id}/config/versions/{version}/restore',
    tag,
    scope: 'write',
    summary: 'Restore an earlier version of the configuration',
    description:
      'Makes a new version equal to the earlier one; keys that were set since are reset. Versions store no secrets: a masked secret is restored while the configuration still has the secret of that mask. Otherwise its key keeps the current value and is listed in `notRestored`. If nothing differs, no version is made.',
    params: ofProject.extend({ version: z.string().max(9).describe('Number of the version, such as 1') }),
    query: nothing,
    body: nothing,
    responses: {
      200: Project.extend({
        notRestored: z.array(z.string()).describe('Keys with secrets that keep their current values'),
      }).meta({ id: 'RestoredProject' }),
    },
  }),
} as const;
