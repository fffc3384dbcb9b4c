import type { Tidemark } from '@tidemark/sdk';
import { CliError } from '../exit.ts';
import { planSites } from './plan-sites.ts';
import { presentConnections, presentProjects } from './present-sites.ts';
import type { DesiredSites, PresentProject, SitesPlan } from './sites.ts';

/** The changes that make the workspace equal to a file, and the projects as they are before them. */
export interface LoadedPlan extends Omit<SitesPlan, 'faults'> {
  readonly projects: readonly PresentProject[];
}

/** Reads the workspace and compares it with the file. @throws CliError if something cannot be made equal */
export async function loadPlan(client: Tidemark, desired: DesiredSites, signal: AbortSignal): Promise<LoadedPlan> {
  const projects = await presentProjects(client, desired.name, signal);
  const needsConnections = desired.projects.some(({ destinations }) => destinations.length > 0);
  const connections = needsConnections ? await presentConnections(client, signal) : [];
  const { steps, unchanged, faults } = planSites(desired, { projects, connections });
  if (faults.length > 0) throw new CliError(faults.join('\n'));
  return { steps, unchanged, projects };
}
