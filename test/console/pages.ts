/** A page as a signed-in owner of a workspace with one project opens it. */
export interface PageCase {
  readonly name: string;
  /** Names in braces stand for ids of the watched site: the project, its newest `{run}`, a `{job}` of the playground, `{site}` for its address. */
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
  { name: 'settings', path: '/projects/{project}/settings', shows: 'Time zone of the schedule' },
  { name: 'settings scope', path: '/projects/{project}/settings?section=scope', shows: 'Exclude paths' },
  { name: 'settings content', path: '/projects/{project}/settings?section=content', shows: 'Only main content' },
  { name: 'settings search', path: '/projects/{project}/settings?q=selectors', shows: 'Volatile selectors' },
  { name: 'settings changed', path: '/projects/{project}/settings?section=output&set=true', shows: 'Store HTML' },
  { name: 'settings history', path: '/projects/{project}/settings?section=history', shows: 'current' },
  { name: 'settings without a match', path: '/projects/{project}/settings?q=zebra', shows: 'No setting matches' },
  { name: 'playground', path: '/playground', shows: 'Try an address' },
  { name: 'playground evidence', path: '/playground?url={site}/&job={job}', shows: 'Steps that were tried' },
  {
    name: 'playground markdown',
    path: '/playground?url={site}/&job={job}&tab=markdown',
    shows: 'Boats leave at high water',
  },
  { name: 'playground html', path: '/playground?url={site}/&job={job}&tab=html', shows: '<main>' },
  { name: 'playground removed', path: '/playground?url={site}/&job={job}&tab=removed', shows: 'Filter' },
  { name: 'playground code', path: '/playground?url={site}/&job={job}&tab=code', shows: 'Authorization: Bearer' },
  { name: 'picker', path: '/projects/{project}/picker?url={site}/prices', shows: 'Use it as' },
  { name: 'picker selector', path: '/projects/{project}/picker?selector=.lead', shows: /\d matches on \d pages/ },
  { name: 'picker refusal', path: '/projects/{project}/picker?selector=p%5B', shows: 'Use it as' },
  { name: 'exports', path: '/projects/{project}/exports', shows: 'Download' },
  { name: 'exports dialog', path: '/projects/{project}/exports?dataset=pages', shows: 'Only pages that match' },
  { name: 'destinations', path: '/destinations', shows: 'Warehouse' },
  { name: 'new destination', path: '/destinations/new?project={project}', shows: /rows? of \d+ read/ },
  { name: 'destination', path: '/destinations/{destination}', shows: 'Nothing has been written yet' },
  { name: 'connections', path: '/connections/new', shows: 'PostgreSQL' },
  { name: 'new connection', path: '/connections/new?provider=postgresql', shows: 'Create and test' },
  { name: 'connection', path: '/connections/{connection}', shows: 'Last test' },
  { name: 'changes since the review', path: '/projects/{project}/changes?since=review', shows: '1 changed page since' },
  { name: 'changes of a kind', path: '/projects/{project}/changes?kind=removed', shows: 'Every change is reviewed' },
  { name: 'missing project', path: '/projects/prj_01j5xq2w8se6fa7t0a6q1n3k2m', shows: 'Not found' },
  { name: 'missing page', path: '/nothing/here', shows: 'There is no page at this address' },
];
