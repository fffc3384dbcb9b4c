import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { errorOf } from '../harness/api.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { enrol, newEmail, PASSWORD, type Person } from '../harness/people.ts';
import { makeProject } from '../harness/projects.ts';
import { until } from '../harness/until.ts';
import type { Workspace } from '../harness/workspaces.ts';

interface Entry {
  readonly id: string;
  readonly at: string;
  readonly action: string;
  readonly keyId: string | null;
  readonly memberId: string | null;
  readonly actor: string;
  readonly subjectId: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

const fleet = sharedFleet();
let workspace: Workspace;
let owner: Person;
beforeAll(async () => {
  workspace = await fleet.workspaces.make();
  owner = await fleet.people.join(workspace, 'admin');
  await fleet.sql("UPDATE identity.memberships SET role = 'owner' WHERE user_id = $1", [owner.id]);
});
afterAll(() => fleet.close());

async function entries(query = '', api = workspace.admin): Promise<Entry[]> {
  const { status, body, text } = await api.get(`/me/audit${query}`);
  if (status !== 200) throw new Error(text);
  return (body as { data: Entry[] }).data;
}
/** Creates, changes and deletes a connection and its destination. */
async function useConnection(api: Workspace['admin']) {
  const config = { host: '127.0.0.5', database: 'store', user: 'writer', schema: 'public', tls: 'off' };
  const password = 'secret-of-connection';
  const body = { provider: 'postgresql', name: 'Store', config, secrets: { password } };
  const connection = idOf(await api.post('/connections', body));
  await api.patch(`/connections/${connection}`, { secrets: { password: `new-${password}` } });
  const settings = { name: 'Pages', connection_id: connection, table: 'pages' };
  const destination = idOf(await api.post('/destinations', settings));
  await api.patch(`/destinations/${destination}`, { automatic: false });
  await api.delete(`/destinations/${destination}`);
  await api.delete(`/connections/${connection}`);
  return { connection, destination };
}

const idOf = ({ body }: { readonly body: unknown }): string => (body as { id: string }).id;

describe('the audit log', () => {
  test('records sign-ins, keys, members, invitations, settings and factors, each with its author, newest first', async () => {
    const keyId = idOf(await workspace.admin.post('/me/keys', { name: '=reporting', scopes: ['read'] }));
    await workspace.admin.delete(`/me/keys/${keyId}`);
    const inviteId = idOf(await owner.post('/auth/invites', { email: newEmail(), role: 'viewer' }));
    await owner.delete(`/auth/invites/${inviteId}`);
    const member = await fleet.people.join(workspace, 'viewer');
    await owner.patch(`/auth/members/${member.id}`, { role: 'member' });
    await owner.delete(`/auth/members/${member.id}`);
    await owner.patch('/auth/workspace', { name: 'Renamed' });
    const child = idOf(await owner.post('/orgs/children', { name: 'Child', cap: 5 }));
    await owner.patch(`/orgs/children/${child}`, { suspended: true });
    await owner.patch(`/orgs/children/${child}`, { suspended: false, cap: 6 });
    await fleet.people.logIn(owner.email);
    await owner.post('/auth/password', { current: PASSWORD, password: 'another long passphrase' });

    const all = await entries('?limit=1000');
    expect(all.map(({ id }) => id)).toEqual(
      all
        .map(({ id }) => id)
        .toSorted()
        .reverse(),
    );
    const found = (action: string, subjectId?: string) =>
      all.find((one) => one.action === action && (subjectId === undefined || one.subjectId === subjectId));
    const mine = { memberId: owner.id, keyId: null, actor: 'Bob' };
    const ofKey = { memberId: null, keyId: expect.stringMatching(/^key_/), actor: 'a test' };
    expect(found('key.created', keyId)).toMatchObject({ ...ofKey, detail: { name: '=reporting', scopes: ['read'] } });
    expect(found('key.revoked', keyId)).toMatchObject(ofKey);
    expect(found('invite.created', inviteId)).toMatchObject({ ...mine, detail: { role: 'viewer' } });
    expect(found('invite.revoked', inviteId)).toMatchObject(mine);
    expect(found('member.joined', member.id)).toMatchObject({ memberId: member.id, detail: { role: 'viewer' } });
    expect(found('member.role_changed', member.id)).toMatchObject({
      ...mine,
      detail: { from: 'viewer', to: 'member' },
    });
    expect(found('member.removed', member.id)).toMatchObject({ ...mine, detail: { role: 'member' } });
    expect(found('workspace.changed')).toMatchObject({ ...mine, detail: { name: 'Renamed' } });
    expect(found('child.created', child)).toMatchObject({ ...mine, detail: { name: 'Child', cap: 5 } });
    expect(found('child.suspended', child)).toMatchObject(mine);
    expect(found('child.lifted', child)).toMatchObject(mine);
    expect(found('child.changed', child)).toMatchObject({ ...mine, detail: { cap: 6 } });
    expect(found('session.created')).toMatchObject({ memberId: owner.id, ip: expect.stringContaining('127.0.0.1') });
    expect(found('password.changed', owner.id)).toMatchObject(mine);
    const { text } = await workspace.admin.get('/me/audit?limit=1000');
    for (const secret of [PASSWORD, 'another long passphrase', 'service_']) expect(text).not.toContain(secret);
    const ofChild = await owner.get('/me/audit', { 'x-service-tenant': child });
    expect((ofChild.body as { data: Entry[] }).data.map(({ action }) => action)).toEqual([
      'child.lifted',
      'child.changed',
      'child.suspended',
    ]);
  });

  test('records the second factor of a person in each workspace of the person', async () => {
    const person = await fleet.people.signUp();
    const keyOf = async () =>
      (await person.post('/me/keys', { name: 'x', scopes: ['admin'] })).body as { secret: string };
    const key = fleet.api((await keyOf()).secret);
    await enrol(person);
    expect((await entries('?action=second_factor', key)).map(({ action, memberId }) => [action, memberId])).toEqual([
      ['second_factor.on', person.id],
    ]);
  });

  test('records what is done in other services: projects, configurations, feeds, webhook secrets, saved logins, connections and destinations', async () => {
    const mine = await fleet.workspaces.make();
    const seed = { seed: 'https://example.com/', config: { webhook_url: 'https://example.com/hook' } };
    const { id: project } = await makeProject(mine.admin, seed);
    await mine.admin.patch(`/projects/${project}`, { config: { max_pages: 3 } });
    const feed = idOf(await mine.admin.post(`/projects/${project}/feeds`, { name: 'reader' }));
    await mine.admin.delete(`/projects/${project}/feeds/${feed}`);
    await mine.admin.post(`/projects/${project}/webhooks/secret`, {});
    const session = { cookies: [{ name: 'sid', value: 'secret-cookie' }], terms_accepted: true };
    const login = idOf(await mine.admin.post('/logins', { site: 'https://example.com/', ...session }));
    await mine.admin.patch(`/logins/${login}`, { name: 'Renamed' });
    await mine.admin.delete(`/logins/${login}`);
    const { connection, destination } = await useConnection(mine.admin);
    await mine.admin.delete(`/projects/${project}`);
    const expected = [
      ['connection.changed', connection],
      ['connection.created', connection],
      ['connection.deleted', connection],
      ['destination.changed', destination],
      ['destination.created', destination],
      ['destination.deleted', destination],
      ['feed.created', feed],
      ['feed.revoked', feed],
      ['login.changed', login],
      ['login.deleted', login],
      ['login.saved', login],
      ['project.changed', project],
      ['project.created', project],
      ['project.deleted', project],
      ['webhook.secret_rotated', project],
    ];
    const read = async () =>
      (await entries('?limit=1000', mine.admin)).filter(({ action }) => !action.startsWith('key.'));
    await until('every entry', async () => (await read()).length >= expected.length);
    const found = await read();
    expect(found.map(({ action, subjectId }) => [action, subjectId]).sort()).toEqual(expected);
    for (const one of found) expect(one).toMatchObject({ keyId: expect.stringMatching(/^key_/), actor: 'a test' });
    const detailOf = (action: string) => found.find((one) => one.action === action)?.detail;
    expect(detailOf('project.changed')).toEqual({ settings: [], keys: ['max_pages'] });
    expect(detailOf('connection.changed')).toEqual({ name: 'Store', fields: [], secrets: ['password'] });
    expect(detailOf('destination.changed')).toEqual({ name: 'Pages', fields: ['automatic'] });
    const { text } = await mine.admin.get('/me/audit?limit=1000');
    for (const secret of ['secret-cookie', 'secret-of-connection']) expect(text).not.toContain(secret);
  });

  test('is listed in pages and by action, group, author and time', async () => {
    const all = await entries('?limit=1000');
    const pages: string[] = [];
    for (let next = '/me/audit?limit=3'; next !== ''; ) {
      const { body } = await workspace.admin.get(next);
      const page = body as { data: Entry[]; next: string | null };
      pages.push(...page.data.map(({ id }) => id));
      next = page.next === null ? '' : page.next.slice(page.next.indexOf('/me/audit'));
    }
    expect(pages).toEqual(all.map(({ id }) => id));
    const idsOf = (list: readonly Entry[]) => list.map(({ id }) => id);
    expect(idsOf(await entries('?action=key.created'))).toEqual(
      idsOf(all.filter(({ action }) => action === 'key.created')),
    );
    expect(idsOf(await entries('?action=member'))).toEqual(
      idsOf(all.filter(({ action }) => action.startsWith('member.'))),
    );
    expect(idsOf(await entries(`?actor=${owner.id}`))).toEqual(
      idsOf(all.filter(({ memberId }) => memberId === owner.id)),
    );
    const middle = all[2]?.at ?? '';
    expect(idsOf(await entries(`?from=${middle}`))).toEqual(idsOf(all.filter(({ at }) => at >= middle)));
    expect(idsOf(await entries(`?to=${middle}`))).toEqual(idsOf(all.filter(({ at }) => at < middle)));
    expect(errorOf(await workspace.admin.get('/me/audit?action=Key Created'))).toMatchObject({
      status: 422,
      fields: ['action'],
    });
  });

  test('is exported as JSON lines and as CSV, with every entry once and formulas guarded', async () => {
    const all = await entries('?limit=1000');
    const jsonl = await workspace.admin.get('/me/audit/export?format=jsonl');
    expect(jsonl.headers.get('content-type')).toContain('application/x-ndjson');
    expect(
      jsonl.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(all);
    const csv = await workspace.admin.get('/me/audit/export?format=csv&action=key');
    expect(csv.headers.get('content-disposition')).toBe('attachment; filename="audit.csv"');
    const [header, ...rows] = csv.text.trimEnd().split('\r\n');
    expect(header).toBe('id,at,action,keyId,memberId,actor,subjectId,detail,ip,userAgent');
    expect(rows).toHaveLength(all.filter(({ action }) => action.startsWith('key.')).length);
    expect(csv.text).toContain('""name"":""=reporting""');
  });

  test('is for admins alone, of its workspace alone', async () => {
    const viewer = await fleet.people.join(workspace, 'viewer');
    for (const path of ['/me/audit', '/me/audit/export'])
      for (const api of [workspace.reader, workspace.writer, viewer])
        expect(errorOf(await api.get(path))).toMatchObject({ status: 403, code: 'scopes' });
    const other = await fleet.workspaces.make();
    const { text } = await other.admin.get('/me/audit?limit=1000');
    for (const id of [workspace.id, owner.id]) expect(text).not.toContain(id);
  });
});
