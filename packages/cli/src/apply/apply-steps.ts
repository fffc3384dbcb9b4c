import type { Body, Tidemark } from '@tidemark/sdk';
import type { Step } from './sites.ts';

interface Applying {
  readonly client: Tidemark;
  readonly signal: AbortSignal;
  /** Called after each step. */
  readonly onDone: (step: Step) => void;
}

/**
 * Makes the steps one after another. A failure leaves the rest undone: the command can be repeated, and makes what is missing.
 * @param projectIds ids of the existing projects by reference
 */
export async function applySteps(
  steps: readonly Step[],
  projectIds: ReadonlyMap<string, string>,
  { client, signal, onDone }: Applying,
): Promise<void> {
  const ids = new Map(projectIds);
  for (const step of steps) {
    switch (step.kind) {
      case 'create-project': {
        const { reference, seed, name, tags, schedule, timezone, retention, config } = step.project;
        const body = { reference, seed, name, tags: [...tags], schedule, timezone, retention, config };
        ids.set(reference, (await client.projects.create(body, { signal })).id);
        break;
      }
      case 'change-project':
        await client.call('PATCH /projects/{id}', { path: { id: step.id }, body: step.patch, signal });
        break;
      case 'delete-project':
        await client.call('DELETE /projects/{id}', { path: { id: step.id }, signal });
        break;
      case 'create-destination': {
        const id = ids.get(step.reference) ?? '';
        const body = step.body as Body<'POST /projects/{id}/destinations'>;
        await client.call('POST /projects/{id}/destinations', { path: { id }, body, signal });
        break;
      }
      case 'change-destination':
        await client.call('PATCH /projects/{id}/destinations/{dest}', {
          path: { id: step.projectId, dest: step.id },
          body: step.patch,
          signal,
        });
        break;
      case 'delete-destination':
        await client.call('DELETE /projects/{id}/destinations/{dest}', {
          path: { id: step.projectId, dest: step.id },
          signal,
        });
        break;
    }
    onDone(step);
  }
}
