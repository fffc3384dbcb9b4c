import { context, propagation } from '@opentelemetry/api';

/** The trace the running code belongs to, in a form that can be stored; empty where there is none. */
export function currentTrace(): Record<string, string> {
  const carried: Record<string, string> = {};
  propagation.inject(context.active(), carried);
  return carried;
}

/** Runs something in a trace that was stored earlier. */
export function inTrace<T>(trace: Readonly<Record<string, string>>, run: () => T): T {
  return context.with(propagation.extract(context.active(), trace), run);
}
