import { trace } from '@opentelemetry/api';
import { type Logger, pino } from 'pino';

export type { Logger };

/** Structured logs, one JSON line each, on standard output. Keys and bodies are never passed to it; known secret fields are masked all the same. */
export function createLogger(service: string, level: string): Logger {
  return pino({
    name: service,
    level,
    base: { service },
    redact: { paths: ['secret', 'key', 'authorization', 'password', '*.secret', '*.authorization'], censor: '***' },
    mixin: () => {
      const span = trace.getActiveSpan()?.spanContext();
      return span === undefined ? {} : { trace_id: span.traceId };
    },
  });
}
