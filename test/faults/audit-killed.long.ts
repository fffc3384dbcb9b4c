import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ALL_PROJECTS, accessToWire } from '@tidemark/contracts';
import { AuditRecorded } from '@tidemark/contracts/audit/v1/events';
import { ExportServiceService as Exports } from '@tidemark/contracts/export/v1/export';
import { AccountServiceService as Accounts } from '@tidemark/contracts/identity/v1/accounts';
import { IdentityServiceService as Identity } from '@tidemark/contracts/identity/v1/identity';
import { ProjectsServiceService as Projects } from '@tidemark/contracts/projects/v1/projects';
import type { CallContext } from '@tidemark/service';
import {
  anonymous,
  personIn,
  type ServiceProcess,
  spawnService,
  startTestServers,
  type TestServers,
  until,
} from '@tidemark/testkit';

const NOWHERE = '127.0.0.1:1';
const mainOf = (service: string) => resolve(import.meta.dirname, `../../services/${service}/src/main.ts`);
const SERVICES = ['identity', 'projects', 'export'] as const;
type Service = (typeof SERVICES)[number];
/** Changes under way at a time in each service, those that follow each other, and responses of each before the processes are killed. */
const CONCURRENT = 6;
const IN_TURN = 5;
const RESPONSES = 6;
const ROUNDS = 2;

let servers: TestServers;
let owner: CallContext;
let workspaceId: string;
const running = new Map<Service, ServiceProcess>();

const startAll = () =>
  Promise.all(
    SERVICES.map(async (name) => {
      const others = Object.fromEntries(
        ['ARCHIVE', 'CRAWL', 'DIFF', 'MAP', 'SCRAPE', 'EXPORT'].map((other) => [`${other}_ADDR`, NOWHERE]),
      );
      const own = { SEALING_KEYS: Buffer.alloc(32, 7).toString('base64'), SIGN_UP: 'open', ACCOUNT_MAILS: 'off' };
      const guard = { TIDEMARK_EGRESS_ALLOW: 'site.test' };
      running.set(name, await spawnService(name, mainOf(name), { ...servers.env, ...others, ...own, ...guard }));
    }),
  );
const killAll = () =>
  Promise.all(
    [...running.values()].map(async (process) => {
      await process.kill('SIGKILL');
      await process.close();
    }),
  );
const peerOf = (service: Service) => {
  const process = running.get(service);
  if (process === undefined) throw new Error(`${service} does not run`);
  return process.peer;
};

beforeAll(async () => {
  servers = await startTestServers();
  await startAll();
  const person = { email: 'ann@example.com', password: 'correct horse battery staple', name: 'Ann' };
  const request = { ...person, workspaceName: '', setupToken: '', client: { ip: '127.0.0.1', userAgent: 'test' } };
  const { session } = (await peerOf('identity').call(Accounts.signUp, request, anonymous())).signedIn ?? {};
  workspaceId = session?.workspace?.id ?? '';
  owner = personIn(workspaceId, { userId: session?.user?.id ?? '', sessionId: session?.id ?? '' });
}, 120_000);
afterAll(async () => {
  await killAll();
  await servers?.close();
});

/** A change of a service. @returns the id of what was created */
const CHANGES: Readonly<Record<Service, () => Promise<string | undefined>>> = {
  identity: async () => {
    const request = {
      name: 'mine',
      scopes: ['read'],
      access: accessToWire(ALL_PROJECTS),
      expiresInDays: undefined,
      rpm: undefined,
    };
    return (await peerOf('identity').call(Identity.createKey, request, owner)).key?.id;
  },
  projects: async () => {
    const blank = { tags: [], settings: undefined, requestHash: '' };
    const request = { seed: 'https://site.test/', name: 'mine', ...blank };
    return (await peerOf('projects').call(Projects.createProject, request, owner)).project?.id;
  },
  export: async () => {
    const request = { provider: 'anthropic', name: 'mine', configJson: '{"model":"m"}', secrets: { api_key: 'k' } };
    return (await peerOf('export').call(Exports.createConnection, request, owner)).connection?.id;
  },
};

/** Makes changes in turn until one fails, because the process has ended. Adds the ids that were answered to `answered`. */
async function changeUntilKilled(service: Service, answered: Set<string>): Promise<void> {
  for (let n = 0; n < IN_TURN; n += 1) {
    try {
      const id = await CHANGES[service]();
      if (id !== undefined) answered.add(id);
    } catch {
      return;
    }
  }
}

const idsOf = async (text: string): Promise<string[]> =>
  (await servers.database.sql<{ id: string }>(text, [workspaceId])).map(({ id }) => id).sort();
/** What is in effect: rows of the services. */
const inEffect = async () => [
  ...(await idsOf('SELECT id FROM identity.api_keys WHERE workspace_id = $1')),
  ...(await idsOf('SELECT id FROM projects.projects WHERE workspace_id = $1')),
  ...(await idsOf('SELECT id FROM export.connections WHERE workspace_id = $1')),
];
const recorded = () =>
  idsOf(
    `SELECT subject_id AS id FROM identity.audit WHERE workspace_id = $1 AND action LIKE '%.created' AND action <> 'session.created'`,
  );
/** Entries that other services have not sent yet. */
async function unsent(): Promise<string[]> {
  const rows = await servers.database.sql<{ payload: Buffer }>(
    `SELECT payload FROM projects.outbox WHERE subject LIKE 'event.audit.%'
     UNION ALL SELECT payload FROM export.outbox WHERE subject LIKE 'event.audit.%'`,
  );
  return rows.map(({ payload }) => AuditRecorded.decode(payload).subjectId);
}

describe('the audit log', () => {
  it('has the entry of every change that is in effect, and of no other, after processes are killed at any moment', async () => {
    const all = new Set<string>();
    for (let round = 0; round < ROUNDS; round += 1) {
      const answered = SERVICES.map((service) => ({ service, ids: new Set<string>() }));
      const work = answered.flatMap(({ service, ids }) =>
        Array.from({ length: CONCURRENT }, () => changeUntilKilled(service, ids)),
      );
      await until('some responses', () => answered.every(({ ids }) => ids.size >= RESPONSES));
      await killAll();
      await Promise.all(work);
      for (const { ids } of answered) for (const id of ids) all.add(id);
      // At once, while no process runs: an entry is stored or waits in the outbox of its service.
      const entries = new Set([...(await recorded()), ...(await unsent())]);
      expect((await inEffect()).sort()).toEqual([...entries].sort());
      await startAll();
    }
    // Unsent entries are sent by the new processes.
    await servers.database.sql(`UPDATE projects.outbox SET sent_at = now() - interval '1 minute'`);
    await servers.database.sql(`UPDATE export.outbox SET sent_at = now() - interval '1 minute'`);
    await until('every entry', async () => (await unsent()).length === 0);
    const effective = await inEffect();
    expect(await recorded()).toEqual(effective.sort());
    expect(effective).toEqual(expect.arrayContaining([...all]));
  }, 150_000);
});
