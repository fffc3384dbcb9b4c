import { Metadata } from '@grpc/grpc-js';
import { context, propagation } from '@opentelemetry/api';

/** Writes the credential of a call and the trace context into gRPC metadata. */
export function toMetadata(credential: string): Metadata {
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${credential}`);
  propagation.inject(context.active(), metadata, { set: (carrier, key, value) => carrier.set(key, value) });
  return metadata;
}

/** Returns the caller's trace context, in which the handler runs. */
export function traceContextOf(metadata: Metadata) {
  return propagation.extract(context.active(), metadata, {
    get: (carrier, key) => carrier.get(key).map(String),
    keys: (carrier) => Object.keys(carrier.getMap()),
  });
}
