/** A page as a signed-in owner of a workspace with one project opens it. */
export interface PageCase {
  readonly name: string;
  /** `{project}` and `{run}` stand for the ids of the project and of its newest run. */
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
  { name: 'missing project', path: '/projects/prj_01j5xq2w8se6fa7t0a6q1n3k2m', shows: 'Not found' },
  { name: 'missing page', path: '/nothing/here', shows: 'There is no page at this address' },
];
