import type { Tidemark } from '@tidemark/sdk';
import type { Access } from './tool.ts';

/** Returns what the key of a client may do. @throws TidemarkError */
export async function accessOf(client: Tidemark, signal?: AbortSignal): Promise<Access> {
  const { key } = await client.call('GET /me', { signal });
  return key?.can.includes('write') === true ? 'write' : 'read';
}
