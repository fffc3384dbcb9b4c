import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { MapEnvelope } from '@tidemark/sdk';
import { client } from '../../api/client.ts';

/** Rows that are read of the map; its total counts all. */
const MAX_ROWS = 200;
/** Seconds that one response may take; a longer map is polled. */
const RESPONSE_SECONDS = 10;
const POLL_MS = 1_500;
const MAX_POLLS = 40;

/** Reads the sitemaps or the links of a site. @throws the error of the call, or of the map */
async function readSite(url: string, signal: AbortSignal): Promise<MapEnvelope> {
  let map = await client.send('POST /map', { body: { url, limit: MAX_ROWS, timeout: RESPONSE_SECONDS }, signal });
  for (let polls = 0; (map.status === 'queued' || map.status === 'running') && polls < MAX_POLLS; polls += 1) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    map = await client.send('GET /map/{id}', { path: { id: map.id }, query: { limit: MAX_ROWS }, signal });
  }
  return map;
}

/** The map of a site, while it is read and afterwards. */
export type ReadSite = UseQueryResult<MapEnvelope>;

/** Reads what a site declares, once its URL is complete. It costs a credit per sitemap file. */
export const useSitePreview = (url: string | undefined): ReadSite =>
  useQuery({
    queryKey: ['site-preview', url],
    enabled: url !== undefined,
    queryFn: ({ signal }) => readSite(url ?? '', signal),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    retry: false,
  });
