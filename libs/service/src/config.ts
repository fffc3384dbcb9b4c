import { messageOf } from '@tidemark/errors';
import { z } from 'zod';
import { parseNamedCallers } from './auth/named-callers.ts';
import { parseSharedKeys } from './auth/shared-keys.ts';

export type ConfigShape = z.ZodRawShape;
export type ConfigOf<S extends ConfigShape> = z.output<z.ZodObject<S>>;

/** Configuration that all services share. */
export const baseConfig = {
  /** Address of the gRPC server. */
  GRPC_LISTEN: z.string().default('0.0.0.0:50051'),
  /** Address of the health, readiness and metrics endpoints. */
  HTTP_LISTEN: z.string().default('0.0.0.0:9090'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  /** Keys that sign calls between services: the first signs, both verify. The same in every service. */
  FLEET_KEYS: z
    .string({ error: 'expected the key of the fleet, base64 of at least 32 bytes (openssl rand -base64 32)' })
    .superRefine(parsedBy(parseSharedKeys)),
  /** Callers outside the fleet, a JSON array: name, key, RPCs, scope, workspaces (docs/grpc.md). */
  GRPC_CALLERS: z.string().superRefine(parsedBy(parseNamedCallers)).default('[]'),
  /** Paths of PEM files for mutual TLS: certificate, private key, authorities. All three or none. */
  GRPC_TLS_CERT: z.string().optional(),
  GRPC_TLS_KEY: z.string().optional(),
  GRPC_TLS_CA: z.string().optional(),
} as const;

export type BaseConfig = ConfigOf<typeof baseConfig>;

/**
 * Parses the configuration from environment variables.
 * @throws Error listing every missing or invalid key, without the values (some are secret).
 */
export function readConfig<S extends ConfigShape>(
  service: string,
  shape: S,
  env: Readonly<Record<string, string | undefined>>,
): ConfigOf<S> {
  const parsed = z.object(shape).safeParse(env);
  if (parsed.success) return parsed.data;
  throw refusal(service, parsed.error.issues);
}

/** Parses a service's own and the shared configuration. @throws Error as `readConfig` does */
export function readServiceConfig<S extends ConfigShape>(
  service: string,
  shape: S,
  env: Readonly<Record<string, string | undefined>>,
): ConfigOf<S> & BaseConfig {
  const base = z.object(baseConfig).safeParse(env);
  const own = z.object(shape).safeParse(env);
  if (base.success && own.success) return { ...own.data, ...base.data };
  throw refusal(service, [...(own.error?.issues ?? []), ...(base.error?.issues ?? [])]);
}

function refusal(service: string, issues: readonly z.core.$ZodIssue[]): Error {
  const problems = issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
  return new Error(`${service} can not start: invalid configuration:\n${problems.join('\n')}`);
}

/** Splits `host:port`. The port follows the last colon, so IPv6 hosts are accepted. */
export function parseListen(listen: string): { host: string; port: number } {
  const colon = listen.lastIndexOf(':');
  const digits = listen.slice(colon + 1);
  const port = Number(digits);
  if (colon < 1 || !/^\d+$/.test(digits) || port > 65_535) {
    throw new Error(`"${listen}" is not a listen address; expected host:port, for example 0.0.0.0:50051`);
  }
  return { host: listen.slice(0, colon).replace(/^\[|\]$/g, ''), port };
}

/** Makes a check that reports the error of a parser as a problem of the key. */
function parsedBy(parse: (text: string) => unknown) {
  return (text: string, ctx: z.RefinementCtx): void => {
    try {
      parse(text);
    } catch (error) {
      ctx.addIssue({ code: 'custom', message: messageOf(error) });
    }
  };
}
