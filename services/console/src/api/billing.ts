import { useQuery } from '@tanstack/react-query';
import type { Billing } from '@tidemark/sdk';
import { read } from './queries.ts';
import { useSession } from './session.ts';

/** The frame needs only the gateway and the state of the subscription, which change rarely. */
const STALE_MS = 5 * 60_000;

/** Returns the plan and payments of the workspace for the frame of the pages; undefined until they are read, and where the session may not read. */
export function useBilling(): Billing | undefined {
  const { workspace, blocked } = useSession();
  const isReadable = workspace !== null && blocked !== 'mfa_required';
  return useQuery({ ...read('GET /me/billing', {}), staleTime: STALE_MS, enabled: isReadable }).data;
}
