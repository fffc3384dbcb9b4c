import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { enrol, newEmail, PASSWORD, People } from '../harness/people.ts';
import { until } from '../harness/until.ts';
import { type AccountSite, startAccountSite } from './account-site.ts';

let site: AccountSite;
let second: string;
beforeAll(async () => {
  site = await startAccountSite({ identity: { ACCOUNT_MAILS: 'on' } });
  second = await site.secondGateway();
}, 120_000);
afterAll(() => site?.close());

/** Signs up a person and verifies the address with the token of the mail. */
async function verifiedPerson() {
  const person = await site.people.signUp();
  const token = (await site.mailsTo(person.email)).findLast(({ kind }) => kind === 'verify')?.token;
  expect((await person.post('/auth/verify', { token })).status).toBe(200);
  return person;
}

describe('guesses through two gateways', () => {
  it('of a password are counted together: after five, both refuse the right one', async () => {
    const { email } = await verifiedPerson();
    const gateways = [site.people, new People(second)].map((people) => people.visitor());
    for (let n = 0; n < 5; n += 1) {
      const response = await gateways[n % 2]?.post('/auth/login', { email, password: `wrong ${n}` });
      expect(response?.status).toBe(401);
    }
    for (const gateway of gateways) {
      const response = await gateway.post('/auth/login', { email, password: PASSWORD });
      expect([response.status, Number(response.headers.get('retry-after')) > 0]).toEqual([429, true]);
    }
  });

  it('of a code are counted together: after five, both refuse a recovery code', async () => {
    const person = await verifiedPerson();
    const { recoveryCodes } = await enrol(person);
    const halves = [await site.people.logIn(person.email), await new People(second).logIn(person.email)];
    for (let n = 0; n < 5; n += 1)
      expect((await halves[n % 2]?.post('/auth/2fa/verify', { code: '000000' }))?.status).toBe(400);
    for (const half of halves)
      expect((await half.post('/auth/2fa/verify', { recovery_code: recoveryCodes[0] })).status).toBe(429);
  });
});

describe('guesses through a gateway without Redis', () => {
  it('of a password are counted as with it: after five, the right one is refused too', async () => {
    const { email } = await verifiedPerson();
    const alone = new People(await site.secondGateway({ REDIS_URL: 'redis://127.0.0.1:1' })).visitor();
    for (let n = 0; n < 5; n += 1)
      expect((await alone.post('/auth/login', { email, password: `wrong ${n}` })).status).toBe(401);
    for (const gateway of [alone, site.people.visitor()])
      expect((await gateway.post('/auth/login', { email, password: PASSWORD })).status).toBe(429);
  });
});

describe('a forged Host header', () => {
  /** fetch sends the Host of the address. */
  const forged = (path: string, body: object, more: object = {}): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const headers = {
        host: 'evil.example',
        'x-forwarded-host': 'evil.example',
        'content-type': 'application/json',
        ...more,
      };
      request(`${site.url}/v1${path}`, { method: 'POST', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end(JSON.stringify(body));
    });

  it('gives no link of an invitation: the request is refused until PUBLIC_URL is configured', async () => {
    const person = await site.people.logIn((await verifiedPerson()).email);
    expect(await forged('/auth/invites', { email: newEmail(), role: 'viewer' }, { cookie: person.jar.cookie })).toBe(
      409,
    );
  });

  it('is in no mail of a sign-up and of a new password: their links have the configured address', async () => {
    const [signUp, known] = [newEmail(), await verifiedPerson()];
    expect(await forged('/auth/signup', { email: signUp, password: PASSWORD, name: 'Ann' })).toBe(201);
    expect(await forged('/auth/forgot', { email: known.email })).toBe(202);
    await until('the mail', async () => (await site.mailsTo(known.email)).some(({ kind }) => kind === 'reset'));
    const mails = [...(await site.mailsTo(signUp)), ...(await site.mailsTo(known.email))];
    expect(mails.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['verify', 'reset']));
    expect(JSON.stringify(mails)).not.toContain('evil.example');
  });
});
