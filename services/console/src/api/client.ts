import { Tidemark } from '@tidemark/sdk';

/** The API of this origin. The session cookie authenticates every call. */
export const client = new Tidemark({ baseUrl: `${location.origin}/v1`, apiKey: '' });
