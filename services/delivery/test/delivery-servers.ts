import { allowsProject } from '@tidemark/contracts';
import { type Channels, ProjectsServiceService as Projects } from '@tidemark/contracts/projects/v1/projects';
import { AppError } from '@tidemark/errors';
import { callerOf, defineService, handle } from '@tidemark/service';
import {
  type RunningService,
  SITE_ADDRESS,
  startService,
  startTestServers,
  type TestServers,
  withUnimplemented,
} from '@tidemark/testkit';
import { delivery } from '../src/service.ts';
import { SEALING_KEYS } from './sending-servers.ts';

/** A project of the fake projects service. */
export interface FakeProject {
  readonly workspaceId: string;
  channels: Channels;
}

/** Servers of delivery: a real database and bus, and a fake projects service. */
export interface DeliveryServers {
  readonly servers: TestServers;
  /** Newest last. */
  readonly projects: FakeProject[];
  /** Environment of the service. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export async function prepareDelivery(): Promise<DeliveryServers> {
  const servers = await startTestServers();
  const projects: FakeProject[] = [];
  const fake = servers.own(await startService(fakeProjects(projects), {}));
  const names = ['CRAWL', 'SCRAPE', 'MAP', 'PROJECTS', 'DIFF', 'EXPORT'];
  const addresses = Object.fromEntries(names.map((name) => [`${name}_ADDR`, fake.address]));
  const env = { ...servers.env, ...addresses, SEALING_KEYS, TIDEMARK_EGRESS_ALLOW: `${SITE_ADDRESS}/32` };
  return { servers, projects, env, close: () => servers.close() };
}

/** Starts delivery in the test's process. */
export async function startDelivery(): Promise<DeliveryServers & { readonly service: RunningService }> {
  const prepared = await prepareDelivery();
  const service = prepared.servers.own(await startService(delivery, prepared.env));
  return { ...prepared, service };
}

const fakeProjects = (projects: readonly FakeProject[]) =>
  defineService({
    name: 'projects',
    config: {},
    async start(app) {
      app.serve(
        Projects,
        withUnimplemented(Projects, [
          handle(Projects.openChannels, async ({ projectId }, ctx) => {
            const { workspaceId } = callerOf(ctx);
            const found = projects.find(
              (one) => one.workspaceId === workspaceId && one.channels.projectId === projectId,
            );
            if (found === undefined) throw new AppError('not_found', 'project not found');
            return { channels: found.channels };
          }),
          handle(Projects.listChannels, async ({ limit, cursor }, ctx) => {
            const caller = callerOf(ctx);
            const seen = projects
              .filter(({ workspaceId }) => workspaceId === caller.workspaceId)
              .map(({ channels }) => channels)
              .filter(({ projectId }) => allowsProject(caller.access, projectId))
              .filter(({ projectId }) => cursor === undefined || projectId < cursor)
              .toReversed();
            const channels = seen.slice(0, limit);
            return { channels, next: seen.length > limit ? channels.at(-1)?.projectId : undefined };
          }),
        ]),
      );
    },
  });
