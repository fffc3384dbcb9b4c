import { type Context, context, propagation } from '@opentelemetry/api';

/** Returns the current trace context as headers that can be stored; empty if there is none. */
export function currentTrace(): Record<string, string> {
  const carried: Record<string, string> = {};
  propagation.inject(context.active(), carried);
  return carried;
}

/** Returns a context whose parent is a stored trace. */
export function contextOf(trace: Readonly<Record<string, string>>): Context {
  return propagation.extract(context.active(), trace);
}

/** Runs `run` in a stored trace context. */
export function inTrace<T>(trace: Readonly<Record<string, string>>, run: () => T): T {
  return context.with(contextOf(trace), run);
}
