import type { IncomingHttpHeaders } from 'node:http';
import { startWebSite } from '@tidemark/testkit';

/** A received message. */
export interface Got {
  readonly id: string;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
}

/** A receiver that records every message and responds as configured. */
export interface Receiver {
  readonly url: string;
  readonly got: readonly Got[];
  /** Its responses from now on: a status, or no response. */
  respond: (got: Got) => number | 'nothing';
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const got: Got[] = [];
  const site = await startWebSite((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { headers } = request;
      const one = { id: String(headers['x-service-delivery']), body: Buffer.concat(chunks).toString(), headers };
      got.push(one);
      const status = receiver.respond(one);
      if (status === 'nothing') return;
      response.writeHead(status).end('thank\u0007 you\n');
    });
  });
  const receiver: Receiver = {
    url: `${site.origin}/hook?token=geheim`,
    got,
    respond: () => 200,
    close: () => site.close(),
  };
  return receiver;
}
