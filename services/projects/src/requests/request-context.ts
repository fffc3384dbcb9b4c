import type { Caller } from '@tidemark/contracts';
import type { CallContext } from '@tidemark/service';

/** The caller and the request ID, forwarded with every call to another service. */
export type RequestContext = CallContext & { readonly caller: Caller };
