import { z } from 'zod';
import { isStorable, JsonObject } from './config-values.ts';
import { Time } from './parts.ts';

const Setting = z
  .object({
    name: z.string(),
    required: z.boolean(),
    says: z.string(),
    fallback: z.string().nullable().describe('What is meant where it is not given'),
  })
  .meta({ id: 'ProviderSetting' });

/** A service a connection can be of, and what it needs. */
export const Provider = z
  .object({
    id: z.string(),
    title: z.string(),
    kind: z.string().describe('model: a language model'),
    fields: z.array(Setting).describe('Keys of `config`'),
    secrets: z.array(Setting).describe('Keys of `secrets`'),
    note: z.string(),
    verified: z.boolean().describe('Whether it was tried against the provider itself'),
  })
  .meta({ id: 'Provider' });
export type Provider = z.output<typeof Provider>;

/** A connection. Its secrets are never shown. */
export const Connection = z
  .object({
    id: z.string(),
    provider: z.string(),
    name: z.string(),
    config: z.record(z.string(), z.unknown()),
    secretsSet: z.array(z.string()).describe('Which secrets it holds'),
    createdAt: Time,
    updatedAt: Time,
    lastTest: z
      .object({ ok: z.boolean(), reason: z.string().describe('What the provider said'), at: Time })
      .nullable()
      .describe('null: not tested since it was changed'),
  })
  .meta({ id: 'Connection' });
export type Connection = z.output<typeof Connection>;

export const AnsweredConnection = Connection.extend({ creditsUsed: z.int(), request_id: z.string() }).meta({
  id: 'AnsweredConnection',
});

/** Characters at most. */
export const CONNECTION_LIMITS = { name: 100, secret: 4_096 } as const;

const ConnectionName = z
  .string()
  .trim()
  .min(1)
  .max(CONNECTION_LIMITS.name)
  .refine(isStorable, 'a name holds no NUL and no half of a character');

const Settings = JsonObject.refine(isStorable, 'a text holds no NUL and no half of a character').describe(
  'The provider’s fields: GET /connections/providers names them',
);

const MAX_SECRETS = 20;
const Secrets = z
  .record(
    z.string().min(1).max(100),
    z
      .string()
      .min(1)
      .max(CONNECTION_LIMITS.secret)
      .refine(isStorable, 'a secret holds no NUL and no half of a character'),
  )
  .refine((secrets) => Object.keys(secrets).length <= MAX_SECRETS, `expected at most ${MAX_SECRETS} secrets`)
  .describe('Sealed, and never shown again');

export const NewConnection = z
  .strictObject({
    provider: z.string().min(1).max(100).describe('One of GET /connections/providers'),
    name: ConnectionName,
    config: Settings.default({}),
    secrets: Secrets.default({}),
  })
  .meta({ id: 'NewConnection' });

export const ConnectionPatch = z
  .strictObject({ name: ConnectionName.optional(), config: Settings.optional(), secrets: Secrets.optional() })
  .refine((patch) => Object.values(patch).some((part) => part !== undefined), 'expected something to change')
  .meta({ id: 'ConnectionPatch' });
