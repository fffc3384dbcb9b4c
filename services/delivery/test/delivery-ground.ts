import { type Channels, ProjectsServiceService as Projects } from '@tidemark/contracts/projects/v1/projects';
import { AppError } from '@tidemark/errors';
import { callerOf, defineService, handle } from '@tidemark/service';
import { type Ground, layGround, type RunningService, SITE_ADDRESS, startService, withRest } from '@tidemark/testkit';
import { delivery } from '../src/service.ts';
import { SEALING_KEYS } from './sending-ground.ts';

/** A project as others keep it. */
export interface MadeProject {
  readonly workspaceId: string;
  channels: Channels;
}

/** What delivery runs on: a real database and bus; what projects say is made up. */
export interface DeliveryGround {
  readonly ground: Ground;
  /** Newest last. */
  readonly projects: MadeProject[];
  /** The environment it runs in. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export async function layDelivery(): Promise<DeliveryGround> {
  const ground = await layGround();
  const projects: MadeProject[] = [];
  const fake = ground.own(await startService(fakeProjects(projects), {}));
  const names = ['CRAWL', 'SCRAPE', 'MAP', 'PROJECTS', 'DIFF', 'EXPORT'];
  const addresses = Object.fromEntries(names.map((name) => [`${name}_ADDR`, fake.address]));
  const env = { ...ground.env, ...addresses, SEALING_KEYS, TIDEMARK_EGRESS_ALLOW: `${SITE_ADDRESS}/32` };
  return { ground, projects, env, close: () => ground.close() };
}

/** Delivery as it runs, in the test's process. */
export async function openDelivery(): Promise<DeliveryGround & { readonly service: RunningService }> {
  const laid = await layDelivery();
  const service = laid.ground.own(await startService(delivery, laid.env));
  return { ...laid, service };
}

const fakeProjects = (projects: readonly MadeProject[]) =>
  defineService({
    name: 'projects',
    config: {},
    async start(app) {
      app.serve(
        Projects,
        withRest(Projects, [
          handle(Projects.openChannels, async ({ projectId }, ctx) => {
            const { workspaceId } = callerOf(ctx);
            const found = projects.find(
              (one) => one.workspaceId === workspaceId && one.channels.projectId === projectId,
            );
            if (found === undefined) throw new AppError('not_found', 'there is no such project');
            return { channels: found.channels };
          }),
          handle(Projects.listChannels, async ({ limit, cursor }, ctx) => {
            const caller = callerOf(ctx);
            const seen = projects
              .filter(({ workspaceId }) => workspaceId === caller.workspaceId)
              .map(({ channels }) => channels)
              .filter(({ projectId }) => caller.projects.length === 0 || caller.projects.includes(projectId))
              .filter(({ projectId }) => cursor === '' || projectId < cursor)
              .toReversed();
            const channels = seen.slice(0, limit);
            return { channels, next: seen.length > limit ? (channels.at(-1)?.projectId ?? '') : '' };
          }),
        ]),
      );
    },
  });
