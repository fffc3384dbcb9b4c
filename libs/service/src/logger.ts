import { isSpanContextValid, trace } from '@opentelemetry/api';
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';

export type { Logger };

const SECRETS = [
  'secret',
  'key',
  'authorization',
  'password',
  'cookie',
  'cookies',
  'headers',
  'webhookUrl',
  'chatUrl',
  'webhook_url',
  'chat_url',
  'secrets',
];

/** Creates a logger that writes JSON lines to standard output. Callers never log keys or bodies; known secret fields are masked as a second protection. */
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
