import { type HarbourSite, startHarbour } from '../e2e/harbour-site.ts';
import type { Fleet } from '../harness/fleet.ts';
import type { Person } from '../harness/people.ts';
import { until } from '../harness/until.ts';

/** Long words and a text of the other direction, which must not break a page. */
const LONG_NAME = 'Harbour, Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen مرفأ السفن';

/** A site whose owner has a project with two runs and one change. */
export interface WatchedSite {
  readonly site: HarbourSite;
  readonly person: Person;
  readonly project: string;
  /** The newest run. */
  readonly run: string;
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

/** Signs a person up who watches a site, and changes one page of it between two runs. */
export async function watchSite(fleet: Pick<Fleet, 'people'>, config: object = {}): Promise<WatchedSite> {
  const [site, person] = await Promise.all([startHarbour('127.0.0.5'), fleet.people.signUp()]);
  const settings = { store_html: 'always', ...config };
  const made = await person.post('/projects', { seed: `${site.origin}/`, name: LONG_NAME, config: settings });
  const { id: project } = made.body as { id: string };
  await runProject(person, project);
  site.fee += 1;
  const run = await runProject(person, project);
  return { site, person, project, run };
}
