import { RouteClient } from '@tidemark/sdk/route-client';

/** The API of this origin. The session cookie authenticates every call. */
export const client = new RouteClient({ baseUrl: `${location.origin}/v1`, apiKey: '' });
