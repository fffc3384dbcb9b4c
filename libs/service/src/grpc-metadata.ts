import { Metadata } from '@grpc/grpc-js';
import { context, propagation } from '@opentelemetry/api';
import { type Caller, highestScope } from '@tidemark/contracts';

/** Context sent with every call between services. */
export interface CallContext {
  /** Absent on unauthenticated calls: authentication itself and operator calls. */
  readonly caller?: Caller;
  readonly requestId: string;
}

/** Writes the caller, the request id and the trace context into gRPC metadata. */
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

/** Reads the context that `toMetadata` wrote. */
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

/** Returns the caller's trace context, in which the handler runs. */
export function traceContextOf(metadata: Metadata) {
  return propagation.extract(context.active(), metadata, {
    get: (carrier, key) => carrier.get(key).map(String),
    keys: (carrier) => Object.keys(carrier.getMap()),
  });
}
