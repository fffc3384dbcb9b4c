import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createGuard, makeDialTcp, parseAllowList } from '@tidemark/egress';
import { startFauxqs } from 'fauxqs';
import { ObjectDriver } from '../src/destinations/objects/object-driver.ts';
import { type S3Settings, S3Target } from '../src/destinations/objects/s3/s3-target.ts';
import { attemptOf, planOf, rowOf, sourceOf, stepsOf } from './destination-contract.ts';
import { describeObjects } from './object-contract.ts';
import { testStorageFault } from './object-fault-contract.ts';
import { describeKilledWriters } from './object-kill-contract.ts';
import { type RefusingProxy, startRefusingProxy } from './servers/refusing-proxy.ts';

/** An emulator in this process, which does not check signatures: `npm run test:destinations` uses servers that do. */
let server: Awaited<ReturnType<typeof startFauxqs>>;
let settings: S3Settings;
let proxy: RefusingProxy;

beforeAll(async () => {
  server = await startFauxqs({ port: 0, logger: false, host: 'localhost' });
  server.createBucket('exports');
  settings = {
    endpoint: `http://127.0.0.1:${server.port}`,
    region: 'us-east-1',
    bucket: 'exports',

    accessKeyId: 'key',
    secretAccessKey: 'secret',
    hasPathStyle: true,
  };
  proxy = await startRefusingProxy(server.port);
});
afterAll(async () => {
  await proxy.close();
  await server.stop();
});

const dialOf = (allow: string) => makeDialTcp(createGuard({ allow: parseAllowList(allow) }));
const targetOf = (more: Partial<S3Settings> = {}, allow = '127.0.0.1') => {
  const dial = dialOf(allow);
  return { target: new S3Target({ ...settings, ...more }, dial), dial };
};

describeObjects('S3 (fauxqs)', () => targetOf());
describeKilledWriters(
  'S3 (fauxqs)',
  () => targetOf(),
  () => ({ kind: 's3', settings }),
);

describe('an S3 destination', () => {
  const throughProxy = () => targetOf({ endpoint: `http://127.0.0.1:${proxy.port}` });
  const errorOf = (code: string, message: string) => `<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  const refusing = (status: number, code: string, message: string) => ({
    server: throughProxy,
    reader: () => targetOf(),
    begin: () => proxy.refuseWrites({ status, body: errorOf(code, message) }),
    end: () => proxy.refuseWrites(undefined),
  });

  // The response of MinIO.
  testStorageFault('keeps the files of the sync before where the storage is full, and is tried again', {
    ...refusing(507, 'XMinioStorageFull', 'Storage backend has reached its minimum free drive threshold.'),
    expected: { kind: 'temporary', message: /status 507, XMinioStorageFull: Storage backend has reached/ },
  });
  // The response of Amazon S3 without the permission s3:PutObject.
  testStorageFault('keeps the files of the sync before where its policy was removed during a sync, and is refused', {
    ...refusing(403, 'AccessDenied', 'not authorized to perform: s3:PutObject'),
    expected: { kind: 'refused', message: /status 403, AccessDenied: not authorized to perform: s3:PutObject/ },
  });

  test('reports a bucket that does not exist as refused', async () => {
    const { target, dial } = targetOf({ bucket: 'absent' });
    const driver = new ObjectDriver(target, dial);
    expect((await stepsOf(driver, 'append')).at(-1)).toMatchObject({ name: 'sign_in', ok: false });
    const failure = await driver
      .write(planOf({ mode: 'append' }), sourceOf([rowOf('a', 1)]), attemptOf())
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind: 'refused', message: expect.stringContaining('NoSuchBucket') });
  });

  test('refuses an address that is not public before it connects', async () => {
    const { target, dial } = targetOf({}, '');
    expect(await stepsOf(new ObjectDriver(target, dial), 'append')).toEqual([
      { name: 'address', ok: false, message: expect.stringContaining('the address is not allowed') },
    ]);
  });

  test.each(['../other', 'a..b', 'A', '-a', 'a/b', 'a?b', ''])('refuses the bucket name %j', (bucket) => {
    expect(() => targetOf({ bucket })).toThrow('the bucket name is not valid');
  });

  test.each(['ftp://a.example', 'https://user@a.example', 'https://a.example/?x=1', 'not an address'])(
    'refuses the endpoint %j',
    (endpoint) => {
      expect(() => targetOf({ endpoint })).toThrow('the endpoint is not valid');
    },
  );
});
