import { isStorable, JsonObject } from '@tidemark/project-config';
import { Time } from '@tidemark/results';
import { z } from 'zod';
import { nameText } from './parts.ts';

/** Types of the settings of a provider. */
export const FIELD_TYPES = ['line', 'lines', 'url', 'host', 'port', 'choice', 'header'] as const;

const Setting = z
  .object({
    name: z.string(),
    required: z.boolean(),
    says: z.string(),
    fallback: z.string().nullable().describe('Default value'),
    type: z
      .enum(FIELD_TYPES)
      .describe(
        'line: one line of text; lines: text with line breaks; choice: one of `choices`; header: a secret without spaces',
      ),
    choices: z.array(z.string()).describe('Values of a field of the type choice'),
  })
  .meta({ id: 'ProviderSetting' });

/** A provider of connections and the settings it requires. */
export const Provider = z
  .object({
    id: z.string(),
    title: z.string(),
    kind: z
      .string()
      .describe('model: a language model; postgres, mysql, clickhouse, s3, azure_blob, sftp: a kind of destination'),
    fields: z.array(Setting).describe('Keys of `config`'),
    secrets: z.array(Setting).describe('Keys of `secrets`'),
    needsOneOf: z.array(z.string()).describe('Secrets of which at least one is required'),
    note: z.string(),
    verified: z.boolean().describe('Whether it was tested with the provider itself'),
  })
  .meta({ id: 'Provider' });
export type Provider = z.output<typeof Provider>;

/** Steps of the test of a connection, in order. */
export const CONNECTION_STEPS = ['address', 'connect', 'sign_in', 'write', 'mode'] as const;

/** A connection. Its secrets are never returned. */
export const Connection = z
  .object({
    id: z.string(),
    provider: z.string(),
    name: z.string(),
    config: z.record(z.string(), z.unknown()),
    secretsSet: z.array(z.string()).describe('Names of the stored secrets'),
    createdAt: Time,
    updatedAt: Time,
    lastTest: z
      .object({
        ok: z.boolean(),
        reason: z.string().describe('Response of the provider'),
        steps: z
          .array(
            z.object({
              name: z.enum(CONNECTION_STEPS),
              ok: z.boolean(),
              message: z.string().describe('What was done, or why it failed'),
            }),
          )
          .describe('In order; none follows a failed one. A language model has the step sign_in only'),
        at: Time,
      })
      .nullable()
      .describe('null if not tested since the last change'),
  })
  .meta({ id: 'Connection' });
export type Connection = z.output<typeof Connection>;

export const ConnectionResponse = Connection.extend({ creditsUsed: z.int(), request_id: z.string() }).meta({
  id: 'ConnectionResponse',
});

/** Maximum lengths in characters. */
export const CONNECTION_LIMITS = { name: 100, secret: 16_384 } as const;

const ConnectionName = nameText(CONNECTION_LIMITS.name).min(1);

const Settings = JsonObject.refine(isStorable, 'a text must not contain NUL or a lone surrogate').describe(
  'Fields of the provider, as listed by GET /connections/providers',
);

const MAX_SECRETS = 20;
const Secrets = z
  .record(
    z.string().min(1).max(100),
    z
      .string()
      .min(1)
      .max(CONNECTION_LIMITS.secret)
      .refine(isStorable, 'a secret must not contain NUL or a lone surrogate'),
  )
  .refine((secrets) => Object.keys(secrets).length <= MAX_SECRETS, `expected at most ${MAX_SECRETS} secrets`)
  .describe('Stored encrypted and never returned');

export const NewConnection = z
  .strictObject({
    provider: z.string().min(1).max(100).describe('An id from GET /connections/providers'),
    name: ConnectionName,
    config: Settings.default({}),
    secrets: Secrets.default({}),
  })
  .meta({ id: 'NewConnection' });

export const ConnectionPatch = z
  .strictObject({ name: ConnectionName.optional(), config: Settings.optional(), secrets: Secrets.optional() })
  .refine((patch) => Object.values(patch).some((part) => part !== undefined), 'expected at least one field to change')
  .meta({ id: 'ConnectionPatch' });
