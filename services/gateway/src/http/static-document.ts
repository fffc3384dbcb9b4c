import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { RequestHandler } from 'express';

/** 9 of 11: the highest quality takes ten times as long for a twentieth of the size. */
const BROTLI_QUALITY = 9;
/** Clients revalidate after this time; the document changes only with a new release. */
const CACHE_CONTROL = 'public, max-age=300';
/** The smallest one that the client accepts is sent. */
const ENCODINGS = ['br', 'gzip', 'identity'] as const;
type Encoding = (typeof ENCODINGS)[number];

interface Rendered {
  readonly hash: string;
  readonly bytes: Readonly<Record<Encoding, Buffer>>;
}

export interface StaticDocument {
  readonly contentType: string;
  /** Called once, at the first request. */
  readonly render: () => string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Compresses on threads of the pool, not on the event loop. */
async function renderOnce(render: () => string): Promise<Rendered> {
  const identity = Buffer.from(render());
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  const [br, zipped] = await Promise.all([
    promisify(brotliCompress)(identity, { params }),
    promisify(gzip)(identity, { level: constants.Z_BEST_COMPRESSION }),
  ]);
  const hash = createHash('sha256').update(identity).digest('base64url').slice(0, 22);
  return { hash, bytes: { br, gzip: zipped, identity } };
}

/**
 * Serves a document that is the same for every client. It is rendered and compressed once per process, whatever the requests contain. Every
 * encoding has its own entity tag (RFC 9110 section 8.8.3).
 */
export function serveStatic({ contentType, render, headers = {} }: StaticDocument): RequestHandler {
  let rendered: Promise<Rendered> | undefined;
  return async (request, response) => {
    rendered ??= renderOnce(render);
    const { hash, bytes } = await rendered;
    const encoding = ENCODINGS.find((one) => request.acceptsEncodings([one]) === one) ?? 'identity';
    response.set({
      ...headers,
      'content-type': contentType,
      'cache-control': CACHE_CONTROL,
      etag: `"${hash}-${encoding}"`,
      vary: 'Accept-Encoding',
    });
    if (request.fresh) return void response.status(304).end();
    if (encoding !== 'identity') response.set('content-encoding', encoding);
    response.send(bytes[encoding]);
  };
}
