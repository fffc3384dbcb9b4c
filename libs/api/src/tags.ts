/** Groups of routes, in the order of the documentation. A test fails for a route with another tag and for a tag without routes. */
export const TAGS: Readonly<Record<string, string>> = {
  Scrape: 'Capture of one page, or of a list of pages as a batch, without a project.',
  Crawl: 'One-shot crawl of a site, without a project. The result is stored for one day unless it is kept.',
  Map: 'URLs that a site declares in its sitemaps and feeds.',
  Projects: 'A site that is captured repeatedly: seed, configuration, schedule and retention.',
  Recorder: 'Live pages on which a person records the `actions` of a project.',
  Sources: 'Where the URLs of a project come from: sitemaps, feeds, lists and links.',
  Runs: 'One capture of the site of a project, from its seeds to its end.',
  Pages: 'Stored pages of a run: lists, search, content and the effect of filters and selectors.',
  History: 'Pages over time: the versions of a page, when each text appeared, and whether a page contained a quote.',
  Changes: 'The change record: what differs between a run and the state before it.',
  Alerts: 'Rules that state which changes matter, and what they would have matched.',
  Exports: 'Files with the pages, changes, fields or sitemap of a project or a crawl.',
  'Saved logins': 'Sessions of signed-in accounts that captures can use.',
  Webhooks: 'Receivers of signed events, their deliveries and attempts.',
  Connections: 'Accounts at other providers: language models, databases and buckets.',
  Destinations:
    'Databases and buckets to which the pages, fields and changes of runs are written, and the syncs that write them.',
  Playground: 'One capture with its evidence: every engine tried, each response and what the filters removed.',
  Workspace: 'Plan, limits, credits, usage and work in progress of the workspace of the key.',
  Billing: 'Plan, credits by kind, spend and overage of the workspace.',
  'API keys': 'Keys of the workspace.',
  'Sub-accounts':
    'Workspaces for customers, on the plan and the credits of this workspace, each with a monthly cap. A key that is not restricted to projects acts in one with the header `x-service-tenant`.',
  Sessions:
    'Accounts of people: sign-up, sign-in, sessions, passwords and the second factor. A session is a cookie; keys get 403.',
  'Request log': 'What the keys of the workspace requested in the last days, and why requests failed.',
  'Audit log': 'What keys and people did in the workspace, for admins.',
  Members: 'People of the workspace, their roles, and invitations.',
  About: 'Facts about this deployment: verdicts, prices, plans and defaults.',
};
