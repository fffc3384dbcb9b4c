import { createHmac, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { onOwnBehalf } from '@tidemark/contracts';
import { callerIn, personIn } from '@tidemark/testkit';
import fc from 'fast-check';
import type { CallContext } from './call-context.ts';
import { CallRefused, CLOCK_SKEW_SECONDS, makeCallGuard } from './call-guard.ts';
import { type Claims, signCredential } from './credential.ts';
import { credentialFor, fleetAccess, LIFETIME_SECONDS } from './fleet-access.ts';
import { parseNamedCallers } from './named-callers.ts';
import { parseSharedKeys } from './shared-keys.ts';

const newKey = (): string => randomBytes(32).toString('base64');
const FLEET = newKey();
const REPORTS = newKey();
const LIST_PAGES = '/tidemark.archive.v1.ArchiveService/ListPages';
const CREATE_WORKSPACE = '/tidemark.identity.v1.IdentityService/CreateWorkspace';
const REFLECTION = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';
const NOW_SECONDS = 1_800_000_000;

const named = parseNamedCallers(
  JSON.stringify([
    { name: 'reports', key: REPORTS, rpcs: [LIST_PAGES.slice(1)], workspaces: ['ws_1'] },
    { name: 'billing-admin', key: newKey(), rpcs: [LIST_PAGES.slice(1)], scope: 'admin' },
  ]),
);

const KEY = { kind: 'key', ws: 'ws_1', key: 'key_1', scope: 'read', access: 'all' } as const;
const PROGRAM = { kind: 'program', ws: 'ws_1', scope: 'read', access: 'all' } as const;

const claims = (more: Partial<Claims> = {}): Claims => ({
  iss: 'gateway',
  aud: LIST_PAGES,
  iat: NOW_SECONDS,
  exp: NOW_SECONDS + LIFETIME_SECONDS,
  caller: KEY,
  ...more,
});
const signed = (more: Partial<Claims> = {}, key = FLEET): string =>
  `Bearer ${signCredential(claims(more), parseSharedKeys(key)[0])}`;

interface Presented {
  readonly path?: string;
  readonly keys?: string;
  readonly at?: number;
  readonly certificateNames?: readonly string[];
}

/** Presents the values of the header `authorization` to a guard. @returns the context, or the refusal */
function present(authorization: readonly unknown[], { path = LIST_PAGES, keys = FLEET, at, ...more }: Presented = {}) {
  const guard = makeCallGuard({
    fleetKeys: parseSharedKeys(keys),
    named,
    now: () => (at ?? NOW_SECONDS) * 1000,
  });
  try {
    return guard({ path, authorization, ...more });
  } catch (error) {
    if (error instanceof CallRefused) return { code: error.code, message: error.message };
    throw error;
  }
}

const UNAUTHENTICATED = { code: 'unauthenticated' };
const FORBIDDEN = { code: 'forbidden' };

describe('the credential of a call', () => {
  it('carries the calling service, the caller and the request id from the client to the server', () => {
    const call = callerIn('ws_1', { keyId: 'key_1', scope: 'write', projects: ['prj_1', 'prj_2'] });
    const access = fleetAccess('gateway', { FLEET_KEYS: FLEET });
    const credential = credentialFor(access, LIST_PAGES, { ...call, deadlineAtMs: Date.now() + 10_000 });
    expect(present([`Bearer ${credential}`], { at: Date.now() / 1000 })).toEqual({ ...call, service: 'gateway' });
  });

  it.each<[string, Pick<CallContext, 'caller' | 'person'>]>([
    ['a key with all projects', callerIn('ws_1')],
    ['a key without projects', callerIn('ws_1', { projects: [] })],
    ['a key in a sub-account', callerIn('ws_1', { parentId: 'ws_2' })],
    ['a person', personIn('ws_1', { scope: 'write', parentId: 'ws_2' })],
    ['a person without a workspace', { person: { userId: 'usr_1', sessionId: 'ses_1' } }],
    ['no caller', {}],
  ])('carries %s', (_, context) => {
    const call = { ...context, requestId: 'req_1', deadlineAtMs: Date.now() + 10_000 };
    const credential = credentialFor(fleetAccess('gateway', { FLEET_KEYS: FLEET }), LIST_PAGES, call);
    const { deadlineAtMs, ...sent } = call;
    expect(present([`Bearer ${credential}`], { at: Date.now() / 1000 })).toEqual({ ...sent, service: 'gateway' });
  });

  it('expires at the deadline of its call, and after a minute at the latest', () => {
    const access = fleetAccess('gateway', { FLEET_KEYS: FLEET });
    for (const [deadlineMs, expected] of [
      [1, 1],
      [10_000, 10],
      [600_000, LIFETIME_SECONDS],
    ] as const) {
      const deadlineAtMs = Date.now() + deadlineMs;
      const payload = credentialFor(access, LIST_PAGES, { requestId: '', deadlineAtMs }).split('.')[1] ?? '';
      const { iat, exp, deadline } = JSON.parse(Buffer.from(payload, 'base64url').toString());
      expect(exp - iat).toBeLessThanOrEqual(expected);
      expect(exp - iat).toBeGreaterThanOrEqual(Math.max(1, expected - 2));
      expect(deadline).toBe(deadlineAtMs);
    }
  });

  it('is refused where it is absent, repeated or no token', () => {
    for (const authorization of [
      [],
      [signed(), signed()],
      [Buffer.from(signed())],
      ['Basic eDp5'],
      [signed().slice(7)],
    ])
      expect(present(authorization)).toMatchObject(UNAUTHENTICATED);
    fc.assert(fc.property(fc.string(), (text) => expect(present([`Bearer ${text}`])).toMatchObject(UNAUTHENTICATED)));
    expect(present([`Bearer ${'a'.repeat(100_000)}`])).toMatchObject(UNAUTHENTICATED);
  });

  it('is refused with any changed character', () => {
    const credential = signed();
    for (let at = 'Bearer '.length; at < credential.length - 1; at += 1) {
      const other = credential[at] === 'A' ? 'B' : 'A';
      expect(present([`${credential.slice(0, at)}${other}${credential.slice(at + 1)}`])).toMatchObject(UNAUTHENTICATED);
    }
  });

  it('is refused with the algorithm none, another algorithm or a critical extension', () => {
    const [, payload = '', signature = ''] = signed().slice('Bearer '.length).split('.');
    for (const header of [{ alg: 'none' }, { alg: 'HS512' }, { alg: 'RS256' }, { alg: 'HS256', crit: ['exp'] }, {}]) {
      const head = Buffer.from(JSON.stringify(header)).toString('base64url');
      const resigned = createHmac('sha256', Buffer.from(FLEET, 'base64')).update(`${head}.${payload}`);
      for (const tail of ['', signature, resigned.digest('base64url')])
        expect(present([`Bearer ${head}.${payload}.${tail}`])).toMatchObject(UNAUTHENTICATED);
    }
  });

  it.each<[string, object]>([
    ['without access', { ...KEY, access: undefined }],
    ['with an access that is neither all nor a list', { ...KEY, access: '' }],
    ['with an empty project id', { ...KEY, access: [''] }],
    ['without key', { ...KEY, key: undefined }],
    ['with an empty key id', { ...KEY, key: '' }],
    ['with an empty workspace', { ...KEY, ws: '' }],
    ['with an unknown scope', { ...KEY, scope: 'root' }],
    ['without kind', { ...KEY, kind: undefined }],
    ['of a service without access', { kind: 'service', ws: 'ws_1' }],
    ['of a person without session', { kind: 'person', ws: 'ws_1', usr: 'usr_1', scope: 'read' }],
  ])('is refused with a caller %s', (_, caller) => {
    const payload = Buffer.from(JSON.stringify({ ...claims(), caller })).toString('base64url');
    const head = Buffer.from(JSON.stringify({ alg: 'HS256', typ: 'JWT' })).toString('base64url');
    const signature = createHmac('sha256', Buffer.from(FLEET, 'base64')).update(`${head}.${payload}`);
    expect(present([`Bearer ${head}.${payload}.${signature.digest('base64url')}`])).toMatchObject(UNAUTHENTICATED);
  });

  it('is accepted from any JSON Web Token library: other order of the header, several audiences, unknown claims', () => {
    const head = Buffer.from(JSON.stringify({ typ: 'JWT', alg: 'HS256' })).toString('base64url');
    const payload = Buffer.from(
      JSON.stringify({ ...claims({ iss: 'reports', aud: ['/x', LIST_PAGES], caller: PROGRAM }), jti: 'one', nbf: 1 }),
    ).toString('base64url');
    const signature = createHmac('sha256', Buffer.from(REPORTS, 'base64')).update(`${head}.${payload}`);
    expect(present([`Bearer ${head}.${payload}.${signature.digest('base64url')}`])).toMatchObject({
      service: 'reports',
    });
  });

  it('is refused under a key of another fleet or of another caller', () => {
    expect(present([signed({}, newKey())])).toMatchObject(UNAUTHENTICATED);
    expect(present([signed({}, REPORTS)])).toMatchObject(UNAUTHENTICATED);
    expect(present([signed({ iss: 'operator' }, REPORTS)])).toMatchObject(UNAUTHENTICATED);
    expect(present([signed({ iss: 'reports' })])).toMatchObject(UNAUTHENTICATED);
    expect(present([signed({ iss: 'billing-admin' }, REPORTS)])).toMatchObject(UNAUTHENTICATED);
  });

  it('is refused from a name that is neither a service nor a configured caller', () => {
    for (const iss of ['stranger', '', 'Gateway', '__proto__', 'toString'])
      expect(present([signed({ iss })])).toMatchObject(UNAUTHENTICATED);
  });

  it('is refused for another RPC than the one it was issued for', () => {
    expect(present([signed()], { path: '/tidemark.archive.v1.ArchiveService/GetPage' })).toMatchObject(UNAUTHENTICATED);
  });

  it('is accepted within the skew of two clocks and refused beyond it', () => {
    const last = NOW_SECONDS + LIFETIME_SECONDS + CLOCK_SKEW_SECONDS;
    for (const at of [NOW_SECONDS - CLOCK_SKEW_SECONDS, NOW_SECONDS, last])
      expect(present([signed()], { at })).toMatchObject({ service: 'gateway' });
    for (const at of [NOW_SECONDS - CLOCK_SKEW_SECONDS - 1, last + 1, NOW_SECONDS + 1e9])
      expect(present([signed()], { at })).toMatchObject(UNAUTHENTICATED);
  });

  it('is refused with a longer lifetime than a minute', () => {
    expect(present([signed({ exp: NOW_SECONDS + LIFETIME_SECONDS + 1 })])).toMatchObject(UNAUTHENTICATED);
  });

  it('is accepted under the current and the previous key, and not under a key that was removed', () => {
    const [old, fresh] = [FLEET, newKey()];
    for (const keys of [`${old},${fresh}`, `${fresh}, ${old}`])
      for (const key of [old, fresh])
        expect(present([signed({}, key)], { keys })).toMatchObject({ service: 'gateway' });
    expect(present([signed({}, old)], { keys: fresh })).toMatchObject(UNAUTHENTICATED);
  });

  it('must name a caller that is in the client certificate where TLS is configured', () => {
    expect(present([signed()], { certificateNames: ['scrape', 'gateway'] })).toMatchObject({ service: 'gateway' });
    for (const certificateNames of [['scrape'], [], ['gateway.example']])
      expect(present([signed()], { certificateNames })).toMatchObject(UNAUTHENTICATED);
  });
});

describe('a verified caller', () => {
  it('may call the RPCs that the table lists for it and no others', () => {
    expect(present([signed({ iss: 'scrape' })])).toMatchObject({ service: 'scrape' });
    for (const iss of ['crawl', 'delivery', 'map']) expect(present([signed({ iss })])).toMatchObject(FORBIDDEN);
    expect(present([signed({ aud: CREATE_WORKSPACE })], { path: CREATE_WORKSPACE })).toMatchObject(FORBIDDEN);
  });

  it('may not call an RPC that the table does not contain', () => {
    const path = '/tidemark.archive.v1.ArchiveService/DropEverything';
    expect(present([signed({ aud: path })], { path })).toMatchObject(FORBIDDEN);
  });

  it('may call every RPC as the operator', () => {
    for (const path of [LIST_PAGES, CREATE_WORKSPACE])
      expect(present([signed({ iss: 'operator', aud: path })], { path })).toMatchObject({ service: 'operator' });
  });

  it('may use reflection, whichever RPCs it may call', () => {
    for (const [iss, key] of [
      ['map', FLEET],
      ['reports', REPORTS],
    ] as const)
      expect(
        present([signed({ iss, aud: REFLECTION, caller: iss === 'reports' ? PROGRAM : KEY }, key)], {
          path: REFLECTION,
        }),
      ).toMatchObject({ service: iss });
  });
});

describe('a service on its own behalf', () => {
  const call = (iss: string, path: string) => {
    const access = fleetAccess(iss, { FLEET_KEYS: FLEET });
    const context = { caller: onOwnBehalf('gateway', 'ws_1'), requestId: 'req_1' };
    const credential = credentialFor(access, path, { ...context, deadlineAtMs: Date.now() + 10_000 });
    return present([`Bearer ${credential}`], { path, at: Date.now() / 1000 });
  };

  it('may call the RPCs that the table lists for it, and is named by its credential', () => {
    expect(call('scrape', LIST_PAGES)).toMatchObject({
      service: 'scrape',
      caller: { kind: 'service', service: 'scrape', workspaceId: 'ws_1', access: { kind: 'all' } },
    });
  });

  it('may not call an RPC that the table lists for other services or for none', () => {
    expect(call('gateway', LIST_PAGES)).toMatchObject(FORBIDDEN);
    expect(call('gateway', '/tidemark.identity.v1.IdentityService/CreateKey')).toMatchObject(FORBIDDEN);
  });

  it('may call every RPC as the operator', () => {
    for (const path of [LIST_PAGES, CREATE_WORKSPACE])
      expect(call('operator', path)).toMatchObject({ caller: { kind: 'service', service: 'operator' } });
  });

  it('may not act as a program', () => {
    expect(present([signed({ caller: PROGRAM })])).toMatchObject(FORBIDDEN);
  });
});

describe('a named caller', () => {
  const call = (more: Partial<Extract<Claims['caller'], { kind: 'program' }>> = {}, path = LIST_PAGES) =>
    present([signed({ iss: 'reports', aud: path, caller: { ...PROGRAM, ...more } }, REPORTS)], { path });

  it('may call the RPCs of its entry and no others', () => {
    expect(call()).toMatchObject({
      service: 'reports',
      caller: { kind: 'program', program: 'reports', workspaceId: 'ws_1', scope: 'read' },
    });
    for (const path of ['/tidemark.archive.v1.ArchiveService/GetPage', CREATE_WORKSPACE])
      expect(call({}, path)).toMatchObject(FORBIDDEN);
  });

  it('may act for the workspaces of its entry only', () => {
    expect(call({ ws: 'ws_2' })).toMatchObject(FORBIDDEN);
    expect(present([signed({ iss: 'reports', caller: undefined }, REPORTS)])).toMatchObject(FORBIDDEN);
  });

  it('may not act with a higher scope than that of its entry', () => {
    for (const scope of ['write', 'admin'] as const) expect(call({ scope })).toMatchObject(FORBIDDEN);
  });

  it('may not act as a key, a person or a service', () => {
    const others: readonly Claims['caller'][] = [
      KEY,
      { kind: 'account', usr: 'usr_1', ses: 'ses_1' },
      { kind: 'service', ws: 'ws_1', access: 'all' },
    ];
    for (const caller of others)
      expect(present([signed({ iss: 'reports', caller }, REPORTS)])).toMatchObject(FORBIDDEN);
  });
});
