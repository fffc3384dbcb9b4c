import { OPERATOR } from './rpc-callers.ts';

/**
 * The services that may call an RPC on their own behalf for a workspace, without a key or person: a part of the callers in `rpc-callers.ts`.
 * All other calls need the key, person or program that caused them. The operator may call every RPC.
 */
export const OWN_BEHALF_CALLERS: Readonly<Record<string, readonly string[]>> = {
  'tidemark.archive.v1.ArchiveService/FindPage': ['scrape'],
  'tidemark.archive.v1.ArchiveService/FindPages': ['crawl'],
  'tidemark.archive.v1.ArchiveService/ListPages': ['diff', 'export', 'scrape'],
  'tidemark.archive.v1.ArchiveService/QueryPages': ['diff', 'export'],
  'tidemark.billing.v1.BillingService/Balance': ['crawl', 'map'],
  'tidemark.crawl.v1.CrawlService/AdoptRun': ['projects'],
  'tidemark.crawl.v1.CrawlService/CheckUrls': ['diff'],
  'tidemark.crawl.v1.CrawlService/ExpireRuns': ['projects'],
  'tidemark.crawl.v1.CrawlService/FindPage': ['export'],
  'tidemark.crawl.v1.CrawlService/GetRun': ['diff', 'export'],
  'tidemark.crawl.v1.CrawlService/ListEnded': ['delivery', 'export'],
  'tidemark.crawl.v1.CrawlService/StartRun': ['projects'],
  'tidemark.diff.v1.DiffService/GetRecord': ['delivery', 'export'],
  'tidemark.diff.v1.DiffService/ListAlertMatches': ['delivery'],
  'tidemark.diff.v1.DiffService/ListChangeEvents': ['delivery'],
  'tidemark.diff.v1.DiffService/ListEntries': ['gateway'],
  'tidemark.diff.v1.DiffService/StoreDigest': ['delivery'],
  'tidemark.export.v1.ExportService/OpenConnection': ['delivery'],
  'tidemark.export.v1.ExportService/SealModel': ['projects'],
  'tidemark.identity.v1.IdentityService/RevokeKey': ['gateway'],
  'tidemark.map.v1.MapService/Discovery': ['delivery', 'export'],
  'tidemark.map.v1.MapService/GetMap': ['crawl'],
  'tidemark.map.v1.MapService/ListEntries': ['crawl', 'export'],
  'tidemark.map.v1.MapService/ListMapRows': ['crawl'],
  'tidemark.map.v1.MapService/Map': ['crawl'],
  'tidemark.map.v1.MapService/ReadFeeds': ['crawl'],
  'tidemark.projects.v1.ProjectsService/GetProject': ['gateway'],
  'tidemark.projects.v1.ProjectsService/ListChannels': ['delivery'],
  'tidemark.projects.v1.ProjectsService/OpenChannels': ['delivery'],
  'tidemark.scrape.v1.LoginService/GetRunLogin': ['projects'],
  'tidemark.scrape.v1.LoginService/RecordRunLogin': ['projects'],
  'tidemark.scrape.v1.ScrapeService/Recapture': ['diff'],
  'tidemark.scrape.v1.ScrapeService/RereadStored': ['diff'],
};

/** Returns whether a service may call an RPC, given as `package.Service/Method`, on its own behalf. */
export function mayCallOnOwnBehalf(service: string, rpc: string): boolean {
  return service === OPERATOR || OWN_BEHALF_CALLERS[rpc]?.includes(service) === true;
}
