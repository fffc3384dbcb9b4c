import { isSpanContextValid, trace } from '@opentelemetry/api';
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';

export type { Logger };

const SECRETS = ['secret', 'key', 'authorization', 'password', 'cookie'];

/** Structured logs, one JSON line each, on standard output. Keys and bodies are never passed to it; known secret fields are masked all the same. */
export function createLogger(service: string, level: string, destination?: DestinationStream): Logger {
  const options: LoggerOptions = {
    name: service,
    level,
    base: { service },
    redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`]), censor: '***' },
    mixin: () => {
      const span = trace.getActiveSpan()?.spanContext();
      return span === undefined || !isSpanContextValid(span) ? {} : { trace_id: span.traceId };
    },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
