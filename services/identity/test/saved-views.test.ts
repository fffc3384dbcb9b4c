import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { AccountServiceService as Rpc } from '@tidemark/contracts/identity/v1/accounts';
import { type AccountServers, newEmail, outcomesOf, type SignedIn, startAccounts } from './account-servers.ts';
import { memberCalls, userId } from './member-calls.ts';

let accounts: AccountServers;
beforeAll(async () => {
  accounts = await startAccounts({ ACCOUNT_MAILS: 'off' });
}, 120_000);
afterAll(() => accounts.close());

const { remove, join } = memberCalls(() => accounts);
const NOT_FOUND = { code: 'not_found' };
const PATH = '/projects/prj_1/pages?q=verdict%3Ablocked';

const save = async ({ call }: SignedIn, name: string, path = PATH) =>
  (await accounts.service.peer.call(Rpc.saveView, { name, path }, call)).view;
const namesOf = async ({ call }: SignedIn) =>
  (await accounts.service.peer.call(Rpc.listSavedViews, {}, call)).views.map(({ name }) => name);
const rename = ({ call }: SignedIn, id: string, name: string) =>
  accounts.service.peer.call(Rpc.renameSavedView, { id, name }, call);
const drop = ({ call }: SignedIn, id: string) => accounts.service.peer.call(Rpc.deleteSavedView, { id }, call);

describe('a saved view', () => {
  it('is listed by name for its member, renamed and deleted', async () => {
    const owner = await accounts.signUp(newEmail());
    const refused = await save(owner, ' Refused ');
    expect(refused).toMatchObject({ id: expect.stringMatching(/^viw_/), name: 'Refused', path: PATH });
    await save(owner, 'Blocked');
    expect(await namesOf(owner)).toEqual(['Blocked', 'Refused']);
    await rename(owner, refused?.id ?? '', 'Answered 403');
    expect(await namesOf(owner)).toEqual(['Answered 403', 'Blocked']);
    await drop(owner, refused?.id ?? '');
    expect(await namesOf(owner)).toEqual(['Blocked']);
    await expect(drop(owner, refused?.id ?? '')).rejects.toMatchObject(NOT_FOUND);
    await expect(rename(owner, newId('viw'), 'x')).rejects.toMatchObject(NOT_FOUND);
    await expect(rename(owner, 'viw_1', 'x')).rejects.toMatchObject(NOT_FOUND);
  });

  it('is not found by another member, and is deleted when its member leaves', async () => {
    const owner = await accounts.signUp(newEmail());
    const member = await join(owner, 'member');
    const view = await save(member, 'Mine');
    expect(await namesOf(owner)).toEqual([]);
    await expect(rename(owner, view?.id ?? '', 'Yours')).rejects.toMatchObject(NOT_FOUND);
    await expect(drop(owner, view?.id ?? '')).rejects.toMatchObject(NOT_FOUND);
    await remove(owner, userId(member), false);
    const left = await accounts.servers.database.sql('SELECT FROM identity.saved_views WHERE id = $1', [view?.id]);
    expect(left).toEqual([]);
  });

  it('is one of at most a hundred, for concurrent requests too', async () => {
    const owner = await accounts.signUp(newEmail());
    await accounts.servers.database.sql(
      `INSERT INTO identity.saved_views (id, workspace_id, user_id, name, path)
       SELECT 'viw_' || $1 || n, workspace_id, user_id, 'View ' || n, '/' FROM identity.memberships, generate_series(1, 98) n WHERE user_id = $1`,
      [userId(owner)],
    );
    const outcomes = await outcomesOf(Array.from({ length: 6 }, (_, n) => save(owner, `More ${n}`)));
    expect(outcomes.filter((outcome) => outcome === 'conflict')).toHaveLength(4);
    expect(await namesOf(owner)).toHaveLength(100);
  });
});

describe('the language of a person', () => {
  it('is that of the browser until one is chosen, and again after it is reset', async () => {
    const { call } = await accounts.signUp(newEmail());
    const language = async () => (await accounts.service.peer.call(Rpc.getSession, {}, call)).session?.user?.language;
    const choose = (text: string) =>
      accounts.service.peer.call(Rpc.updateProfile, { language: text, password: '' }, call);
    expect(await language()).toBeUndefined();
    await choose('de');
    expect(await language()).toBe('de');
    await choose('');
    expect(await language()).toBeUndefined();
  });
});
