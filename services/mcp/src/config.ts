import { z } from 'zod';

export const config = {
  /** Listen address of the tool server. */
  LISTEN: z.string().default('0.0.0.0:8790'),
  /** `host:port` of the gateway; its REST interface is on the same host at GATEWAY_PORT. */
  GATEWAY_ADDR: z.string(),
  /** Port of the REST interface on the host of the gateway. */
  GATEWAY_PORT: z.coerce.number().int().min(1).max(65_535).default(8787),
  /** Public URL of the endpoint, such as https://tidemark.example/mcp; requests for other hosts and of other origins are refused. Without it only those for localhost are accepted. */
  PUBLIC_URL: z.url().optional(),
  /** Origin of the gateway, whose authorization server issues tokens for PUBLIC_URL (its MCP_URL). Without it clients need an API key. */
  AUTHORIZATION_SERVER: z.url().optional(),
} as const;
