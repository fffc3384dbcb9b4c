import { randomUUID } from 'node:crypto';
import { toProjectRun } from '@tidemark/api';
import { facts } from '@tidemark/contracts';
import { ProjectsServiceService } from '@tidemark/contracts/projects/v1/projects';
import { createGuard, makeAdmitUrl, parseAllowList } from '@tidemark/egress';
import { IdempotencyKeys } from '@tidemark/jobs';
import { Sealer } from '@tidemark/sealing';
import { Bus, defineService, Outbox, openPool, pingDatabase, prismaAdapter, Rounds } from '@tidemark/service';
import { makeCreateBatch } from './batch-desk.ts';
import { config } from './config.ts';
import { PrismaClient } from './generated/prisma/client.ts';
import { projectsGrpc } from './grpc.ts';
import { makeListProjects } from './list-projects.ts';
import { masking } from './masking.ts';
import { makeCheckConfig, ProjectDesk } from './project-desk.ts';
import { RunDesk } from './run-desk.ts';
import { Scheduler } from './schedule/scheduler.ts';
import { DueStore } from './store/due-store.ts';
import { makeHearFinished } from './store/finished-store.ts';
import { ProjectStore } from './store/project-store.ts';
import { ProjectWriter } from './store/project-writer.ts';

const FORGET_EVERY_MS = 3_600_000;

/** What is watched, how and when. */
export const projects = defineService({
  name: 'projects',
  config,
  async start(app) {
    const { DATABASE_URL, NATS_URL, CRAWL_ADDR, MAX_PROJECTS: mostProjects, SCHEDULE_SECONDS } = app.config;
    const pool = app.own(openPool(DATABASE_URL, 'projects'));
    const db = app.own(new PrismaClient({ adapter: prismaAdapter(pool, 'projects') }));
    const bus = app.own(await Bus.connect(NATS_URL, 'projects', app.log));
    const outbox = app.own(new Outbox(pool, bus, 'projects', app.log));
    const guard = createGuard({ allow: parseAllowList(app.config.TIDEMARK_EGRESS_ALLOW) });
    const admit = makeAdmitUrl(guard);
    const now = () => new Date();
    const { log } = app;

    const sealer = new Sealer(app.config.SEALING_KEYS);
    const store = new ProjectStore(pool, db, sealer);
    const desk = new ProjectDesk({
      projects: store,
      writer: new ProjectWriter(pool, sealer, masking),
      masking,
      admit,
      checkConfig: makeCheckConfig(toProjectRun),
      tell: (told) => outbox.send(told),
      mostProjects,
      now,
    });
    const runs = new RunDesk(store, app.dial('crawl', CRAWL_ADDR));
    const createBatch = makeCreateBatch({ desk, admit, now });
    const list = makeListProjects(store, mostProjects);
    app.serve(ProjectsServiceService, projectsGrpc({ desk, runs, createBatch, list, masking }));
    bus.consume(facts.runFinished, 'projects', makeHearFinished(pool));

    const dues = new DueStore(pool, randomUUID());
    const scheduler = app.own(new Scheduler({ dues, startRun: (due) => runs.startDue(due), now, log }));
    const failed = 'runs that are due could not be looked for; trying again';
    app.own(new Rounds({ everyMs: SCHEDULE_SECONDS * 1_000, round: () => scheduler.round(), failed, log }));
    app.own(new IdempotencyKeys(pool).openForgetting(log));
    const forget = () => dues.forgetOld();
    app.own(new Rounds({ everyMs: FORGET_EVERY_MS, round: forget, failed: 'old due runs stay a while longer', log }));
    app.ready('postgres', () => pingDatabase(pool));
    app.ready('nats', () => bus.ping());
    await bus.prepare();
  },
});
