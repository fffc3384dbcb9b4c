import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  ExportDatasetRequest,
  type ExportDatasetResponse,
  ExportServiceService as Rpc,
} from '@tidemark/contracts/export/v1/export';
import { AppError } from '@tidemark/errors';
import { anonymous, dialAsOperator, type RunningService, startService, until } from '@tidemark/testkit';
import { defineService } from './define-service.ts';
import { type HandlerContext, handleStream } from './grpc-server.ts';

const CHUNK = Buffer.alloc(256 * 1024);
const chunkMessage = (value: Buffer): ExportDatasetResponse => ({ part: { $case: 'chunk', value } });

/** What the service under test streams next. */
let stream: (ctx: HandlerContext) => AsyncIterable<ExportDatasetResponse>;
let service: RunningService;

const definition = defineService({
  name: 'export',
  config: {},
  async start(app) {
    const others = Object.values(Rpc).filter(({ path }) => path !== Rpc.exportDataset.path);
    app.serve(Rpc, [
      handleStream(Rpc.exportDataset, (_, ctx) => stream(ctx)),
      ...others.map(({ path }) => ({ path, bind: () => undefined })),
    ]);
  },
});

beforeAll(async () => {
  service = await startService(definition, {});
});
afterAll(() => service.close());

const open = (options = {}) =>
  service.peer.stream(Rpc.exportDataset, ExportDatasetRequest.create(), anonymous(), {
    deadlineMs: 30_000,
    ...options,
  });

describe('a streaming RPC', () => {
  it('delivers every message in order', async () => {
    stream = async function* () {
      for (let index = 0; index < 100; index += 1) yield chunkMessage(Buffer.from([index]));
    };
    const received: number[] = [];
    for await (const { part } of open()) if (part?.$case === 'chunk') received.push(part.value[0] ?? -1);
    expect(received).toEqual(Array.from({ length: 100 }, (_, index) => index));
  });

  it('ends with the error of the handler after the messages before it', async () => {
    stream = async function* () {
      yield chunkMessage(CHUNK);
      throw new AppError('conflict', 'the record is being made', { retryAfterSeconds: 3 });
    };
    let received = 0;
    const read = async () => {
      for await (const _ of open()) received += 1;
    };
    await expect(read()).rejects.toMatchObject({
      code: 'conflict',
      message: 'the record is being made',
      retryAfterSeconds: 3,
    });
    expect(received).toBe(1);
  });

  it('takes no further messages from the handler while the caller does not read', async () => {
    let produced = 0;
    stream = async function* () {
      for (; produced < 10_000; produced += 1) yield chunkMessage(CHUNK);
    };
    const messages = open()[Symbol.asyncIterator]();
    await messages.next();
    let last = -1;
    await until('the production to stop', () => {
      const isStill = produced === last;
      last = produced;
      return isStill;
    });
    expect(produced).toBeLessThan(500);
    await messages.return?.();
  });

  it('ends the iteration of the handler when the caller stops reading, and when its signal aborts', async () => {
    for (const stop of ['return', 'abort']) {
      let isEnded = false;
      stream = async function* ({ signal }) {
        try {
          while (!signal.aborted) yield chunkMessage(CHUNK);
        } finally {
          isEnded = true;
        }
      };
      const caller = new AbortController();
      const read = async () => {
        for await (const _ of open({ signal: caller.signal }))
          if (stop === 'return') return;
          else caller.abort();
      };
      await read().catch((error: unknown) => expect(error).toMatchObject({ code: 'unavailable' }));
      await until('the end of the handler', () => isEnded);
    }
  });

  it('fails as unavailable where the service can not be reached', async () => {
    const peer = dialAsOperator('export', '127.0.0.1:1');
    const read = async () => {
      for await (const _ of peer.stream(Rpc.exportDataset, ExportDatasetRequest.create(), anonymous(), {
        deadlineMs: 500,
      }));
    };
    await expect(read()).rejects.toMatchObject({ code: 'unavailable' });
    await peer.close();
  });
});
