import { type HarbourSite, startHarbour } from '../e2e/harbour-site.ts';
import type { Fleet } from '../harness/fleet.ts';
import type { Person } from '../harness/people.ts';
import { until } from '../harness/until.ts';

/** Long words and a text of the other direction, which must not break a page. */
const LONG_NAME = 'Harbour, Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen مرفأ السفن';

/** A site whose owner has a project with two runs, one change and ignored changes. */
export interface WatchedSite {
  readonly site: HarbourSite;
  readonly person: Person;
  readonly project: string;
  /** The newest run. */
  readonly run: string;
  /** Ids by their names in the URLs of pages. */
  readonly ids: Readonly<Record<string, string>>;
}

/** Runs a project to its end, and waits for its change record. @returns the run */
export async function runProject(person: Person, project: string): Promise<string> {
  const started = await person.post(`/projects/${project}/runs`, {});
  const { id } = started.body as { id: string };
  await until('the record of the run', async () => {
    const { body } = await person.get(`/projects/${project}/changes`);
    const { runId, status } = body as { runId: string | null; status: string | null };
    return runId === id && status === 'made';
  });
  return id;
}

/** Signs up the owner of a project on a site, of which one page changes between two runs. */
export async function watchSite(fleet: Pick<Fleet, 'people'>, config: object = {}): Promise<WatchedSite> {
  const [site, person] = await Promise.all([startHarbour('127.0.0.5'), fleet.people.signUp()]);
  // The boats beside the content change with each run, and are ignored.
  const settings = { store_html: 'always', volatile_selectors: ['.related'], ...config };
  const made = await person.post('/projects', { seed: `${site.origin}/`, name: LONG_NAME, config: settings });
  if (made.status !== 201) throw new Error(made.text);
  const { id: project } = made.body as { id: string };
  await runProject(person, project);
  site.fee += 1;
  site.boats = 'two of them new';
  const run = await runProject(person, project);
  const [job, change, shared] = await Promise.all([
    tryPage(person, site),
    firstChange(person, project),
    makeDestination(person),
  ]);
  return { site, person, project, run, ids: { project, run, change, site: site.origin, job, ...shared } };
}

/** Returns the id of the first change of the newest record. */
async function firstChange(person: Person, project: string): Promise<string> {
  const { body } = await person.get(`/projects/${project}/changes?kind=changed`);
  const [first] = (body as { entries: { id: string }[] }).entries;
  if (first === undefined) throw new Error('the record has no change');
  return first.id;
}

/** Captures a page in the playground. @returns the job */
async function tryPage(person: Person, site: HarbourSite): Promise<string> {
  const tried = await person.post('/playground/extract', { url: `${site.origin}/`, allow_browser: false });
  const { id } = tried.body as { id: string };
  await until('the end of the attempt', async () => {
    const { body } = await person.get(`/playground/${id}`);
    return (body as { status: string }).status === 'done';
  });
  return id;
}

/** Creates a connection to a database that does not exist, and a destination of it. */
async function makeDestination(person: Person): Promise<{ connection: string; destination: string }> {
  const config = { host: 'db.example.com', database: 'warehouse', user: 'tidemark' };
  const secrets = { password: 'secret' };
  const connected = await person.post('/connections', { provider: 'postgresql', name: 'Warehouse', config, secrets });
  if (connected.status !== 201) throw new Error(connected.text);
  const { id: connection } = connected.body as { id: string };
  const body = { name: 'Warehouse', connection_id: connection, table: 'site_pages', automatic: false };
  const made = await person.post('/destinations', body);
  if (made.status !== 201) throw new Error(made.text);
  return { connection, destination: (made.body as { id: string }).id };
}
