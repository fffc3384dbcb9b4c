import { type Context, context, propagation } from '@opentelemetry/api';

/** The trace the running code belongs to, in a form that can be stored; empty where there is none. */
export function currentTrace(): Record<string, string> {
  const carried: Record<string, string> = {};
  propagation.inject(context.active(), carried);
  return carried;
}

/** A stored trace as the parent of what follows from it. */
export function contextOf(trace: Readonly<Record<string, string>>): Context {
  return propagation.extract(context.active(), trace);
}

/** Runs something in a trace that was stored earlier. */
export function inTrace<T>(trace: Readonly<Record<string, string>>, run: () => T): T {
  return context.with(contextOf(trace), run);
}
