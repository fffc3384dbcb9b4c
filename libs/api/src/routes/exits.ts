import { z } from 'zod';
import { nothing, route } from '../route.ts';
import { wholeList } from '../schemas/parts.ts';

const Exit = z
  .object({
    name: z.string(),
    country: z.string().nullable(),
    kind: z.string(),
    state: z.string().describe('alive, dead or tampering'),
    parity: z.string().describe('Whether it returns the same content as a direct fetch: ok, differs or unknown'),
    successRate: z.number().describe('0 to 1, weighted towards recent pages'),
    requests: z.int(),
    bytes: z.int(),
    burnedFor: z.array(z.string()).describe('Hosts that refuse the exit'),
    adoptedBy: z.array(z.string()).describe('Hosts for which the exit is preferred'),
  })
  .meta({ id: 'Exit' });

export const exitRoutes = {
  listExits: route({
    id: 'listExits',
    method: 'get',
    path: '/me/proxies',
    tag: 'Workspace',
    scope: 'read',
    summary: 'Exits of the deployment and their health',
    params: nothing,
    query: nothing,
    body: nothing,
    responses: { 200: z.object({ data: z.array(Exit), ...wholeList, creditsUsed: z.int(), request_id: z.string() }) },
  }),
} as const;
