import { z } from 'zod';

export const config = {
  /** Listen address of the tool server. */
  LISTEN: z.string().default('0.0.0.0:8790'),
  /** Base URL of the REST interface with its version prefix, as this service reaches it. */
  API_URL: z.url(),
} as const;
