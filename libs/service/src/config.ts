import { z } from 'zod';

export type ConfigShape = z.ZodRawShape;
export type ConfigOf<S extends ConfigShape> = z.output<z.ZodObject<S>>;

/** What every service is told, whatever else it needs. */
export const baseConfig = {
  /** Where the service's gRPC face listens. */
  GRPC_LISTEN: z.string().default('0.0.0.0:50051'),
  /** Where health, readiness and metrics listen. */
  HTTP_LISTEN: z.string().default('0.0.0.0:9090'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
} as const;

export type BaseConfig = ConfigOf<typeof baseConfig>;

/**
 * Reads a service's configuration once, at start.
 * @throws Error naming every key that is missing or wrong, all at once, without the values (some are secret).
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

/** Reads what a service is told together with what every service is told. @throws Error as `readConfig` does */
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
  return new Error(`${service} can't start, its configuration is wrong:\n${problems.join('\n')}`);
}

/** Splits `host:port`; the port is the part after the last colon, so that IPv6 hosts pass. */
export function parseListen(listen: string): { host: string; port: number } {
  const colon = listen.lastIndexOf(':');
  const digits = listen.slice(colon + 1);
  const port = Number(digits);
  if (colon < 1 || !/^\d+$/.test(digits) || port > 65_535) {
    throw new Error(`"${listen}" is no address to listen on; expected host:port, such as 0.0.0.0:50051`);
  }
  return { host: listen.slice(0, colon).replace(/^\[|\]$/g, ''), port };
}
