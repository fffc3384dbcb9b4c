import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { onlyProjects } from '@tidemark/contracts';
import { type BalanceResponse, BillingServiceService as Rpc } from '@tidemark/contracts/billing/v1/billing';
import { AppError, CODES, isErrorCode } from '@tidemark/errors';
import {
  anonymous,
  callerIn,
  dialAsOperator,
  type RunningService,
  startService,
  withUnimplemented,
} from '@tidemark/testkit';
import fc from 'fast-check';
import { defineService } from './define-service.ts';
import { callerOf, type HandlerContext, handle } from './grpc-server.ts';

const BALANCE: BalanceResponse = { plan: 'free', balance: 1, reserved: 0, usedThisMonth: 0 };
const USAGE = {
  days: [],
  monthPages: 0,
  monthCredits: 0,
  byKind: [],
  byActor: [],
  byProject: [],
  tokens: [],
  limits: [],
};

/** What the service under test answers with next. */
let respond: (ctx: HandlerContext) => Promise<BalanceResponse> = async () => BALANCE;
let service: RunningService;

const definition = defineService({
  name: 'billing',
  config: {},
  async start(app) {
    app.serve(
      Rpc,
      withUnimplemented(Rpc, [
        handle(Rpc.lease, async () => ({ grants: [] })),
        handle(Rpc.balance, (_, ctx) => respond(ctx)),
        handle(Rpc.usage, async () => USAGE),
      ]),
    );
  },
});

beforeAll(async () => {
  service = await startService(definition, {});
});
afterAll(() => service.close());

const call = (ctx = anonymous(), options = {}) => service.peer.call(Rpc.balance, {}, ctx, options);

async function thrown(error: unknown): Promise<AppError> {
  respond = async () => {
    throw error;
  };
  return call().then(
    () => {
      throw new Error('expected a failure');
    },
    (caught) => caught,
  );
}

describe('an AppError thrown by a service', () => {
  it.each(Object.keys(CODES).filter(isErrorCode))('reaches the caller in full, with the code %s', async (code) => {
    const detail = [{ loc: ['body', 'pages', 3], msg: 'too many — “über”', type: 'too_big' }];
    const caught = await thrown(
      new AppError(code, 'was heißt das?', { detail, retryAfterSeconds: 7, httpStatus: 418 }),
    );
    expect(caught).toBeInstanceOf(AppError);
    expect(caught).toMatchObject({ code, message: 'was heißt das?', detail, retryAfterSeconds: 7, httpStatus: 418 });
    expect(await thrown(new AppError(code, 'bare'))).toMatchObject({
      code,
      message: 'bare',
      httpStatus: CODES[code].http,
      detail: undefined,
      retryAfterSeconds: undefined,
    });
  });

  it('reaches the caller with any well-formed Unicode message', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 500 }), async (text) => {
        // A lone surrogate can not be encoded as UTF-8.
        const message = text.toWellFormed();
        expect((await thrown(new AppError('conflict', message))).message).toBe(message);
      }),
    );
  });
});

describe('an unexpected error', () => {
  it.each([
    ['an Error', new Error('password=hunter2 at /srv/tidemark/x.ts')],
    ['a string', 'hunter2'],
    ['nothing', undefined],
    ['a driver’s error', Object.assign(new Error('duplicate key hunter2'), { code: '23505', detail: 'hunter2' })],
  ])('reaches the caller as internal without its details: %s', async (_, error) => {
    const caught = await thrown(error);
    expect(caught).toMatchObject({ code: 'internal', httpStatus: 500, message: 'something went wrong on our side' });
    expect(JSON.stringify([caught.cause, String(caught.cause)])).not.toContain('hunter2');
  });

  it('of an unavailable database reaches the caller as unavailable, with a time to retry', async () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:5432'), { code: 'ECONNREFUSED' });
    const caught = await thrown(refused);
    expect(caught).toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 });
    expect(caught.message).not.toContain('10.0.0.7');
  });
});

describe('a call', () => {
  it('passes the caller and the request id to the handler', async () => {
    let received: HandlerContext | undefined;
    respond = async (ctx) => {
      received = ctx;
      return BALANCE;
    };
    const ctx = callerIn('ws_1', { keyId: 'key_1', scope: 'write', projects: ['prj_1', 'prj_2'] });
    await call(ctx);
    expect(received).toMatchObject(ctx);
    expect(callerOf(received ?? ctx).access).toEqual(onlyProjects(['prj_1', 'prj_2']));
    await call(callerIn('ws_1', { projects: [] }));
    expect(received?.caller?.access).toEqual(onlyProjects([]));
  });

  it('without a caller is rejected by a handler that requires one', async () => {
    respond = async (ctx) => ({ ...BALANCE, plan: callerOf(ctx).workspaceId });
    await expect(call()).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it('without a response before its deadline fails as unavailable and aborts the handler’s signal', async () => {
    const stopped = Promise.withResolvers<void>();
    respond = ({ signal }) => {
      signal.addEventListener('abort', () => stopped.resolve());
      return new Promise(() => undefined);
    };
    await expect(call(anonymous(), { deadlineMs: 100 })).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('billing'),
    });
    await stopped.promise;
  });

  it('that is cancelled rejects and aborts the handler’s signal', async () => {
    const [begun, stopped] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    respond = ({ signal }) => {
      begun.resolve();
      signal.addEventListener('abort', () => stopped.resolve());
      return new Promise(() => undefined);
    };
    const off = new AbortController();
    const calling = call(anonymous(), { signal: off.signal });
    await begun.promise;
    off.abort();
    await expect(calling).rejects.toMatchObject({ code: 'unavailable' });
    await stopped.promise;
  });

  it('cancelled before it started is not sent', async () => {
    let calls = 0;
    respond = async () => {
      calls += 1;
      return BALANCE;
    };
    await expect(call(anonymous(), { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'unavailable' });
    await call();
    expect(calls).toBe(1);
  });

  it('to an unreachable service fails as unavailable and names the service', async () => {
    const nowhere = dialAsOperator('archive', '127.0.0.1:1');
    await expect(nowhere.call(Rpc.balance, {}, anonymous(), { deadlineMs: 2_000 })).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('archive'),
      retryAfterSeconds: 1,
    });
    await expect(nowhere.ready()).rejects.toMatchObject({ code: 'unavailable' });
    await nowhere.close();
  });
});

describe('a service', () => {
  it('without a handler for a method does not start and names the method', async () => {
    const closed: string[] = [];
    const half = defineService({
      name: 'half',
      config: {},
      async start(app) {
        app.own({ close: () => closed.push('owned') });
        app.serve(Rpc, [handle(Rpc.balance, async () => BALANCE)]);
      },
    });
    await expect(startService(half, {})).rejects.toMatchObject({
      message: expect.stringMatching(/^half has no handler for .*BillingService\/Lease, /),
    });
    expect(closed).toEqual(['owned']);
  });

  it('closes its resources in reverse order, including after a failed close', async () => {
    const closed: string[] = [];
    const owner = defineService({
      name: 'owner',
      config: {},
      async start(app) {
        app.own({ close: () => void closed.push('first') });
        app.own({
          close: () => {
            closed.push('second');
            throw new Error('will not close');
          },
        });
        app.own({ end: async () => void closed.push('third') });
      },
    });
    await (await startService(owner, {})).close();
    expect(closed).toEqual(['third', 'second', 'first']);
  });
});
