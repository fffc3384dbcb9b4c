import { Metadata } from '@grpc/grpc-js';
import { context, propagation } from '@opentelemetry/api';
import { type Caller, highestScope } from '@tidemark/contracts';

/** What travels with every call inside the fleet. */
export interface CallContext {
  /** Absent on calls nobody signed for: authentication itself, and an operator's. */
  readonly caller?: Caller;
  readonly requestId: string;
}

/** Writes the caller, the request id and the trace into gRPC metadata. The one place that does. */
export function toMetadata(call: CallContext): Metadata {
  const metadata = new Metadata();
  metadata.set('x-request-id', call.requestId);
  if (call.caller !== undefined) {
    metadata.set('x-workspace', call.caller.workspaceId);
    metadata.set('x-key', call.caller.keyId);
    metadata.set('x-scope', call.caller.scope);
    if (call.caller.projects.length > 0) metadata.set('x-projects', call.caller.projects.join(','));
  }
  propagation.inject(context.active(), metadata, { set: (carrier, key, value) => carrier.set(key, value) });
  return metadata;
}

/** Reads what `toMetadata` wrote. The one place that does. */
export function fromMetadata(metadata: Metadata): CallContext {
  const read = (name: string): string | undefined => metadata.get(name)[0]?.toString();
  const requestId = read('x-request-id') ?? '';
  const workspaceId = read('x-workspace');
  if (workspaceId === undefined) return { requestId };
  const projects = read('x-projects');
  return {
    requestId,
    caller: {
      workspaceId,
      keyId: read('x-key') ?? '',
      scope: highestScope([read('x-scope') ?? 'read']),
      projects: projects === undefined ? [] : projects.split(','),
    },
  };
}

/** The trace a call belongs to, as the context its handler runs in. */
export function traceContextOf(metadata: Metadata) {
  return propagation.extract(context.active(), metadata, {
    get: (carrier, key) => carrier.get(key).map(String),
    keys: (carrier) => Object.keys(carrier.getMap()),
  });
}
