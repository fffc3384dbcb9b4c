import { codeOf, enrol, newEmail, PASSWORD, type Person } from '../harness/people.ts';
import type { Good, RouteRequest, TestServers } from './requests.ts';

/** A request of a new person, who owns a workspace. */
const ofPerson =
  (make: (person: Person) => Omit<RouteRequest, 'api'> | Promise<Omit<RouteRequest, 'api'>>) =>
  async ({ people }: TestServers): Promise<RouteRequest> => {
    const api = await people.signUp();
    return { api, ...(await make(api)) };
  };

const invite = async ({ workspace }: TestServers): Promise<{ id: string; token: string; email: string }> => {
  const email = newEmail();
  const { body } = await workspace.admin.post('/auth/invites', { email, role: 'member' });
  const { id, link } = body as { id: string; link: string };
  return { id, token: link.split('#')[1] ?? '', email };
};

const resetToken = async ({ people, resetTokenOf }: TestServers): Promise<string> =>
  resetTokenOf((await people.signUp()).email);

const account = { password: PASSWORD, name: 'Ann' };

/** Valid requests of the routes of people. The fleet has no mail host: addresses count as verified. */
export const goodOfAccounts = {
  signUp: { 201: () => ({ path: '/auth/signup', body: { ...account, email: newEmail() } }) },
  logIn: {
    200: async ({ people }) => {
      const { email } = await people.signUp();
      return { path: '/auth/login', body: { email, password: PASSWORD } };
    },
  },
  logOut: { 204: ofPerson(() => ({ path: '/auth/logout', body: {} })) },
  getSession: { 200: ofPerson(() => ({ path: '/auth/session' })) },
  switchWorkspace: {
    200: ofPerson(async (person) => {
      const { body } = await person.get('/auth/session');
      const { workspace } = body as { workspace: { id: string } };
      return { path: '/auth/switch', body: { workspace_id: workspace.id } };
    }),
  },
  requestVerification: { 202: ofPerson(() => ({ path: '/auth/verify/request', body: {} })) },
  verifyEmail: {
    200: async ({ verifyTokenOf }) => ({
      path: '/auth/verify',
      body: { token: await verifyTokenOf(), password: PASSWORD },
    }),
  },
  forgotPassword: { 202: () => ({ path: '/auth/forgot', body: { email: newEmail() } }) },
  resetPassword: {
    204: async (servers) => ({
      path: '/auth/reset',
      body: { token: await resetToken(servers), password: 'another long passphrase' },
    }),
  },
  changePassword: {
    204: ofPerson(() => ({ path: '/auth/password', body: { current: PASSWORD, password: 'another long passphrase' } })),
  },
  verifyCode: {
    200: ofPerson(async (person) => {
      const { secret } = await enrol(person);
      return { path: '/auth/2fa/verify', body: { code: codeOf(secret, Date.now() + 30_000) } };
    }),
  },
  patchProfile: {
    200: ofPerson(() => ({ path: '/auth/profile', body: { name: 'Anna', two_factor: 'start', password: PASSWORD } })),
  },
  listSessions: { 200: ofPerson(() => ({ path: '/auth/sessions' })) },
  endSessions: { 204: ofPerson(() => ({ path: '/auth/sessions' })) },
  listMembers: { 200: () => ({ path: '/auth/members' }) },
  patchMember: {
    200: async ({ people, workspace }) => ({
      path: `/auth/members/${(await people.join(workspace, 'viewer')).id}`,
      body: { role: 'member' },
    }),
  },
  removeMember: {
    204: async ({ people, workspace }) => {
      const member = await people.join(workspace, 'viewer');
      return { api: member, path: `/auth/members/${member.id}` };
    },
  },
  createInvite: { 201: () => ({ path: '/auth/invites', body: { email: newEmail(), role: 'viewer' } }) },
  revokeInvite: { 204: async (servers) => ({ path: `/auth/invites/${(await invite(servers)).id}` }) },
  readInvite: { 200: async (servers) => ({ path: `/auth/invites/${(await invite(servers)).token}` }) },
  acceptInvite: {
    200: async (servers) => ({
      path: '/auth/invites/accept',
      body: { token: (await invite(servers)).token, name: 'Bob', password: PASSWORD },
    }),
  },
  deleteWorkspace: {
    204: ofPerson(async (person) => {
      const { body } = await person.get('/auth/session');
      const { workspace } = body as { workspace: { name: string } };
      return { path: `/auth/workspace?name=${encodeURIComponent(workspace.name)}` };
    }),
  },
  patchWorkspace: {
    200: () => ({
      path: '/auth/workspace',
      body: { name: 'Harbour', billing_details: { legal_name: 'Harbour Ltd', country: 'IN', state: 'KA' } },
    }),
  },
} satisfies Readonly<Record<string, Good>>;
