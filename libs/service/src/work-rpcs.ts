/**
 * RPCs that start new work. A process near its memory limit refuses them. RPCs that accepted work needs (leases of credits,
 * stored pages, results) are never refused.
 */
export const WORK_RPCS: ReadonlySet<string> = new Set([
  '/tidemark.scrape.v1.ScrapeService/Scrape',
  '/tidemark.scrape.v1.ScrapeService/StartBatch',
  '/tidemark.scrape.v1.ScrapeService/MatchSelectors',
  '/tidemark.scrape.v1.ScrapeService/SearchSelectors',
  '/tidemark.scrape.v1.ScrapeService/PreviewContent',
  '/tidemark.scrape.v1.ScrapeService/Recapture',
  '/tidemark.scrape.v1.RecorderService/OpenRecorder',
  '/tidemark.crawl.v1.CrawlService/StartRun',
  '/tidemark.crawl.v1.CrawlService/DryRun',
  '/tidemark.crawl.v1.CrawlService/Sources',
  '/tidemark.crawl.v1.CrawlService/PreviewSources',
  '/tidemark.map.v1.MapService/Map',
  '/tidemark.projects.v1.ProjectsService/CreateProjects',
  '/tidemark.projects.v1.ProjectsService/StartRun',
  '/tidemark.projects.v1.ProjectsService/StartRuns',
  '/tidemark.projects.v1.ProjectsService/Recrawl',
  '/tidemark.projects.v1.ProjectsService/DryRun',
  '/tidemark.projects.v1.ProjectsService/Sources',
  '/tidemark.projects.v1.ProjectsService/PreviewSources',
  '/tidemark.diff.v1.DiffService/ComparePage',
  '/tidemark.diff.v1.DiffService/CompareMarkup',
  '/tidemark.diff.v1.DiffService/ComparePictures',
]);
