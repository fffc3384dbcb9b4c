import { createServer } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@tidemark/errors';
import { createLogger } from '@tidemark/service';
import express from 'express';
import { errorEnvelope } from './error-envelope.ts';
import { refuseWhenFull } from './refuse-when-full.ts';

let close = (): void => undefined;
afterEach(() => close());

async function listen(refusal: () => AppError | undefined): Promise<string> {
  const app = express();
  app.use(refuseWhenFull({ refusal }));
  app.use((_request, response) => void response.json({}));
  app.use(errorEnvelope(createLogger('gateway', 'silent'), 1_000));
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  close = () => void server.close();
  const bound = server.address();
  return `http://127.0.0.1:${typeof bound === 'object' && bound !== null ? bound.port : 0}/`;
}

describe('refuseWhenFull', () => {
  it('refuses new work with 503 and Retry-After near the memory limit, and lets clients read and cancel', async () => {
    let isFull = true;
    const url = await listen(() =>
      isFull ? new AppError('unavailable', 'full', { retryAfterSeconds: 2 }) : undefined,
    );
    const statusOf = async (method: string) => {
      const response = await fetch(url, { method, ...(method === 'POST' ? { body: 'x'.repeat(100_000) } : {}) });
      return [response.status, response.headers.get('retry-after')];
    };
    expect(await statusOf('POST')).toEqual([503, '2']);
    expect(await statusOf('PATCH')).toEqual([503, '2']);
    expect(await statusOf('GET')).toEqual([200, null]);
    expect(await statusOf('DELETE')).toEqual([200, null]);
    isFull = false;
    expect(await statusOf('POST')).toEqual([200, null]);
  });
});
