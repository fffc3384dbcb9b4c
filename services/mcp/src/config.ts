import { z } from 'zod';

export const config = {
  /** Listen address of the tool server. */
  LISTEN: z.string().default('0.0.0.0:8790'),
  /** Base URL of the REST interface with its version prefix, as this service reaches it. */
  API_URL: z.url(),
  /** Public URL of the endpoint, such as https://tidemark.example/mcp; requests for other hosts and of other origins are refused. Without it only those for localhost are accepted. */
  PUBLIC_URL: z.url().optional(),
  /** Origin of the gateway, whose authorization server issues tokens for PUBLIC_URL (its MCP_URL). Without it clients need an API key. */
  AUTHORIZATION_SERVER: z.url().optional(),
} as const;
