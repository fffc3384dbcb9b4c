/** A page as a signed-in owner of a workspace with one project opens it. */
export interface PageCase {
  readonly name: string;
  /** `{project}` and `{run}` stand for the ids of the project and of its newest run, `{site}` for its address. */
  readonly path: string;
  /** A text that the page shows once its data is there. */
  readonly shows: string | RegExp;
}

export const PAGES: readonly PageCase[] = [
  { name: 'overview', path: '/', shows: 'Needs attention' },
  { name: 'projects', path: '/projects', shows: 'Harbour' },
  { name: 'projects without a match', path: '/projects?q=nothing', shows: 'No project matches' },
  { name: 'new project', path: '/projects/new', shows: 'Start the first run now' },
  { name: 'runs', path: '/projects/{project}', shows: 'History' },
  { name: 'run', path: '/projects/{project}/runs/{run}', shows: 'Outcome of every page' },
  { name: 'pages', path: '/projects/{project}/pages', shows: 'Prices' },
  { name: 'pages of a query', path: '/projects/{project}/pages?q=status%3A404', shows: /^1 page$/ },
  { name: 'pages without a match', path: '/projects/{project}/pages?q=depth%3A%3E9', shows: 'No page matches' },
  { name: 'page', path: '/projects/{project}/page?url={site}/prices', shows: 'The fee is' },
  { name: 'page evidence', path: '/projects/{project}/page?url={site}/prices&tab=evidence', shows: 'Time per step' },
  { name: 'page links', path: '/projects/{project}/page?url={site}/&tab=links', shows: 'Target' },
  { name: 'page history', path: '/projects/{project}/page?url={site}/hidden&tab=history', shows: /20\d\d, \d/ },
  {
    name: 'page removed parts',
    path: '/projects/{project}/page?url={site}/prices&tab=removed',
    shows: 'visible words',
  },
  { name: 'changes', path: '/projects/{project}/changes', shows: '1 change since the last run' },
  { name: 'changes markup', path: '/projects/{project}/changes?view=markup', shows: 'text' },
  { name: 'keys', path: '/keys', shows: 'No API key yet' },
  { name: 'members', path: '/members', shows: 'The last owner stays' },
  { name: 'workspace', path: '/workspace', shows: 'Require a second factor' },
  { name: 'audit log', path: '/workspace?tab=audit', shows: 'Download as CSV' },
  { name: 'account', path: '/account', shows: 'This session' },
  { name: 'webhooks', path: '/webhooks', shows: 'No webhook and no chat channel yet' },
  { name: 'messages', path: '/notices', shows: /No message|Open the/ },
  { name: 'deliveries', path: '/projects/{project}/webhooks', shows: 'No delivery' },
  { name: 'usage', path: '/usage', shows: 'Credits per day, last 30 days' },
  { name: 'monitor', path: '/monitor', shows: 'Queues' },
  { name: 'exits', path: '/exits', shows: 'Ways through which pages' },
  { name: 'logins', path: '/logins', shows: 'No saved login yet' },
  { name: 'sub-accounts', path: '/children', shows: 'No sub-account yet' },
  { name: 'missing sub-account', path: '/children/ws_01j5xq2w8se6fa7t0a6q1n3k2m', shows: 'Not found' },
  { name: 'sources', path: '/projects/{project}/sources', shows: 'What the last full run found' },
  { name: 'sitemap tree', path: '/projects/{project}/sources?tab=tree', shows: 'No snapshot of the sitemap tree yet' },
  { name: 'link findings', path: '/projects/{project}/links', shows: '/gone' },
  { name: 'missing project', path: '/projects/prj_01j5xq2w8se6fa7t0a6q1n3k2m', shows: 'Not found' },
  { name: 'missing page', path: '/nothing/here', shows: 'There is no page at this address' },
];
