import type { ServerResponse } from 'node:http';
import { type OpenConnectionResponse, ExportServiceService as Rpc } from '@tidemark/contracts/export/v1/export';
import { AppError } from '@tidemark/errors';
import { callerOf, defineService, handle } from '@tidemark/service';
import { type RunningService, startService, startWebSite, type WebSite, withUnimplemented } from '@tidemark/testkit';
import { z } from 'zod';

const CompletionRequest = z.looseObject({
  model: z.string(),
  system: z.string().optional(),
  messages: z.array(z.object({ role: z.string(), content: z.string() })),
});
export type ModelRequest = z.output<typeof CompletionRequest>;

/** A fake language model over real HTTP with both protocols. */
export interface FakeModel {
  readonly site: WebSite;
  /** All requests. */
  readonly requests: ModelRequest[];
  /** Text of the next responses. */
  reply: string;
  /** Replace the next responses, one by one. */
  failures: ((response: ServerResponse) => void)[];
  close(): Promise<void>;
}

export async function startFakeModel(): Promise<FakeModel> {
  const requests: ModelRequest[] = [];
  const fake: Pick<FakeModel, 'reply' | 'failures'> = { reply: '', failures: [] };
  const site = await startWebSite((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += String(chunk);
    });
    request.on('end', () => {
      requests.push(CompletionRequest.parse(JSON.parse(body)));
      const failure = model.failures.shift();
      if (failure !== undefined) return failure(response);
      response.writeHead(200, { 'content-type': 'application/json' });
      const isChat = request.url?.endsWith('/chat/completions') === true;
      const chat = { choices: [{ message: { role: 'assistant', content: model.reply } }] };
      response.end(JSON.stringify(isChat ? chat : { content: [{ type: 'text', text: model.reply }] }));
    });
  });
  const model: FakeModel = Object.assign(fake, { site, requests, close: () => site.close() });
  return model;
}

/** Responds with a status alone. */
export const status = (code: number) => (response: ServerResponse) => void response.writeHead(code).end('{}');

/** Starts a fake service with the connections of one workspace. */
export async function startFakeConnections(
  workspaceId: string,
  connections: Readonly<Record<string, OpenConnectionResponse>>,
): Promise<RunningService> {
  const definition = defineService({
    name: 'export',
    config: {},
    async start(app) {
      const open = handle(Rpc.openConnection, async ({ id }, ctx) => {
        const found = connections[id];
        if (found === undefined || callerOf(ctx).workspaceId !== workspaceId)
          throw new AppError('not_found', 'connection not found');
        return found;
      });
      app.serve(Rpc, withUnimplemented(Rpc, [open]));
    },
  });
  return startService(definition, {});
}
