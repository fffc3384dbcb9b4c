import {
  type Metadata,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
  status,
} from '@grpc/grpc-js';
import type { VerifiedCall } from './call-context.ts';
import { type CallGuard, CallRefused } from './call-guard.ts';

/** Open to probes. Its response contains the status of the server and nothing else. */
const HEALTH_CHECK = '/grpc.health.v1.Health/Check';

/** Contexts of verified calls. grpc-js passes the same metadata object to the interceptor and to the handler. */
const contexts = new WeakMap<Metadata, VerifiedCall>();

/** Returns the context of a call that the interceptor has verified. @throws CallRefused if it has not */
export function verifiedCallOf(metadata: Metadata): VerifiedCall {
  const context = contexts.get(metadata);
  if (context === undefined) throw new CallRefused('unauthenticated', 'the call was not verified');
  return context;
}

/**
 * Returns the interceptor that verifies every call of a server before its message is read: of all services, including health check and
 * reflection. `onRefused` receives the path of each refused call.
 */
export function guardInterceptor(
  guard: CallGuard,
  isTls: boolean,
  onRefused: (path: string, refusal: CallRefused, peer: string) => void,
): ServerInterceptor {
  return ({ path }, call) =>
    new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata(metadata, pass) {
            const refusal = path === HEALTH_CHECK ? undefined : verify(guard, { path, metadata, call, isTls });
            if (refusal === undefined) return pass(metadata);
            onRefused(path, refusal, call.getPeer());
            const code = refusal.code === 'forbidden' ? status.PERMISSION_DENIED : status.UNAUTHENTICATED;
            call.sendStatus({ code, details: refusal.message, metadata: null });
          },
        }),
    });
}

interface Received {
  readonly path: string;
  readonly metadata: Metadata;
  readonly call: ServerInterceptingCallInterface;
  readonly isTls: boolean;
}

/** Stores the context of a call. @returns the refusal if the call has none */
function verify(guard: CallGuard, { path, metadata, call, isTls }: Received): CallRefused | undefined {
  try {
    const certificateNames = isTls ? certificateNamesOf(call) : undefined;
    contexts.set(metadata, guard({ path, authorization: metadata.get('authorization'), certificateNames }));
    return undefined;
  } catch (error) {
    return error instanceof CallRefused ? error : new CallRefused('unauthenticated', 'the credential is malformed');
  }
}

/** Returns the DNS names of the client's certificate: `DNS:scrape, DNS:crawl` lists two. */
function certificateNamesOf(call: ServerInterceptingCallInterface): string[] {
  const names = call.getAuthContext().sslPeerCertificate?.subjectaltname ?? '';
  return names.split(', ').flatMap((name) => (name.startsWith('DNS:') ? [name.slice('DNS:'.length)] : []));
}
