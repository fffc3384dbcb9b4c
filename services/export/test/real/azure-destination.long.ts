import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createGuard, makeDialTcp, parseAllowList } from '@tidemark/egress';
import { type AzureSettings, AzureTarget } from '../../src/destinations/objects/azure/azure-target.ts';
import { ObjectDriver } from '../../src/destinations/objects/object-driver.ts';
import { attemptOf, planOf, rowOf, sourceOf, stepsOf } from '../destination-contract.ts';
import { describeObjects } from '../object-contract.ts';
import { testStorageFault } from '../object-fault-contract.ts';
import { describeKilledWriters } from '../object-kill-contract.ts';
import { type AzuriteServer, startAzurite } from '../servers/azurite.ts';
import { describeServer } from '../servers/describe-server.ts';
import { type RefusingProxy, startRefusingProxy } from '../servers/refusing-proxy.ts';

await describeServer(
  'Azurite',
  () => startAzurite(),
  (server: AzuriteServer) => {
    const targetOf = (more: Partial<AzureSettings> = {}, allow = '127.0.0.1') => {
      const dial = makeDialTcp(createGuard({ allow: parseAllowList(allow) }));
      const { account, accountKey, container, endpoint } = server;
      return { target: new AzureTarget({ account, accountKey, container, endpoint, ...more }, dial), dial };
    };
    const driverOf = (...how: Parameters<typeof targetOf>) => {
      const { target, dial } = targetOf(...how);
      return new ObjectDriver(target, dial);
    };

    describeObjects('Azurite', () => targetOf());
    describeKilledWriters(
      'Azurite',
      () => targetOf(),
      () => {
        const { account, accountKey, container, endpoint } = server;
        return { kind: 'azure', settings: { account, accountKey, container, endpoint } };
      },
    );

    describe('an Azure Blob destination whose writes fail during a sync', () => {
      let proxy: RefusingProxy;
      let rotated: AzuriteServer;
      beforeAll(async () => {
        proxy = await startRefusingProxy(server.port);
        rotated = await startAzurite(Buffer.from('the key after the rotation, 32 bytes or more').toString('base64'));
      }, 120_000);
      afterAll(async () => {
        await proxy.close();
        await rotated.close();
      });
      const how = {
        server: () => targetOf({ endpoint: `http://127.0.0.1:${proxy.port}/${server.account}` }),
        reader: () => targetOf(),
      };

      testStorageFault('keeps the files of the sync before where the storage is full, and is tried again', {
        ...how,
        begin: () => proxy.refuseWrites({ status: 507, body: '<Error><Code>InsufficientStorage</Code></Error>' }),
        end: () => proxy.refuseWrites(undefined),
        expected: { kind: 'temporary', message: /status 507, InsufficientStorage/ },
      });
      testStorageFault('keeps the files of the sync before where the key of the account was changed, and is refused', {
        ...how,
        begin: () => proxy.forwardTo(rotated.port),
        end: () => proxy.forwardTo(server.port),
        expected: { kind: 'refused', message: /status 403, AuthorizationFailure|status 403, AuthenticationFailed/ },
      });
    });

    describe('an Azure Blob destination', () => {
      test.each([
        ['a wrong key', { accountKey: Buffer.from('hunter2').toString('base64') }],
        ['a container that does not exist', { container: 'absent' }],
      ])('reports %s as refused, without the key', async (_, more) => {
        const steps = await stepsOf(driverOf(more), 'append');
        expect(steps.at(-1)).toMatchObject({ name: 'sign_in', ok: false });
        const failure = await driverOf(more)
          .write(planOf({ mode: 'append' }), sourceOf([rowOf('a', 1)]), attemptOf())
          .catch((error: unknown) => error);
        expect(failure).toMatchObject({ kind: 'refused' });
        expect(JSON.stringify(steps) + String(failure)).not.toContain(Buffer.from('hunter2').toString('base64'));
      });

      test('refuses an address that is not public before it connects', async () => {
        expect(await stepsOf(driverOf({}, ''), 'append')).toEqual([
          { name: 'address', ok: false, message: expect.stringContaining('the address is not allowed') },
        ]);
      });

      test.each([{ account: 'A/..' }, { container: 'a--b' }, { container: '../x' }])(
        'refuses the settings %j',
        (more) => {
          expect(() => targetOf(more)).toThrow('is not valid');
        },
      );
    });
  },
);
