import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { unreadResponses } from './unread-responses.ts';
import { toJson } from './write-json.ts';

/** Smaller bodies fit in one or two packets; compressing them saves nothing. */
const MIN_BYTES = 1_024;
const gzipAsync = promisify(gzip);

/** Fields that contain a secret in some response. A test compares them with the contract. */
const SECRET_FIELDS = ['secret', 'webhookSecret'] as const;

/**
 * Returns whether a response contains a secret. The size of a compressed body reveals text that is equal to text in the request (BREACH),
 * so such a response is never compressed.
 */
export const hasSecret = (body: unknown): boolean =>
  typeof body === 'object' &&
  body !== null &&
  SECRET_FIELDS.some((field) => field in body && Object.getOwnPropertyDescriptor(body, field)?.value !== null);

/** Sends a body as JSON, with gzip if the client accepts it. Compression runs on threads of the pool, not on the event loop. */
export async function sendJson(request: Request, response: Response, body: unknown): Promise<void> {
  const text = await toJson(body);
  response.type('application/json');
  if (text.length < MIN_BYTES) return void response.send(text);
  const send = (bytes: Buffer): void => {
    unreadResponses.hold(response, bytes.length);
    response.send(bytes);
  };
  if (hasSecret(body)) return send(text);
  response.vary('Accept-Encoding');
  if (request.acceptsEncodings(['gzip', 'identity']) !== 'gzip') return send(text);
  const zipped = await gzipAsync(text, { level: constants.Z_BEST_SPEED });
  response.set('content-encoding', 'gzip');
  send(zipped);
}
