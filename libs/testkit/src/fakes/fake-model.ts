import type { ServerResponse } from 'node:http';
import { type OpenConnectionResponse, ExportServiceService as Rpc } from '@tidemark/contracts/export/v1/export';
import { AppError } from '@tidemark/errors';
import { callerOf, defineService, handle } from '@tidemark/service';
import { z } from 'zod';
import { type RunningService, startService } from '../start-service.ts';
import { startWebSite, type WebSite } from '../web-site.ts';
import { withUnimplemented } from './with-unimplemented.ts';

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
  /** Text of the next responses; a function is called with each request. */
  reply: string | ((request: ModelRequest) => string);
  /** Counted in every response. */
  tokens: { readonly input: number; readonly output: number };
  /** Replace the next responses, one by one. */
  failures: ((response: ServerResponse) => void)[];
  close(): Promise<void>;
}

export async function startFakeModel(): Promise<FakeModel> {
  const requests: ModelRequest[] = [];
  const fake: Pick<FakeModel, 'reply' | 'tokens' | 'failures'> = {
    reply: '',
    tokens: { input: 100, output: 10 },
    failures: [],
  };
  const site = await startWebSite((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += String(chunk);
    });
    request.on('end', () => {
      const completion = CompletionRequest.parse(JSON.parse(body));
      requests.push(completion);
      const failure = model.failures.shift();
      if (failure !== undefined) return failure(response);
      response.writeHead(200, { 'content-type': 'application/json' });
      const isChat = request.url?.endsWith('/chat/completions') === true;
      const text = typeof model.reply === 'string' ? model.reply : model.reply(completion);
      response.end(JSON.stringify(isChat ? chatResponse(text, model.tokens) : messageResponse(text, model.tokens)));
    });
  });
  const model: FakeModel = Object.assign(fake, { site, requests, close: () => site.close() });
  return model;
}

/** https://platform.openai.com/docs/api-reference/chat/object */
const chatResponse = (content: string, { input, output }: FakeModel['tokens']) => ({
  choices: [{ message: { role: 'assistant', content } }],
  usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
});

/** https://docs.anthropic.com/en/api/messages */
const messageResponse = (text: string, { input, output }: FakeModel['tokens']) => ({
  content: [{ type: 'text', text }],
  usage: { input_tokens: input, output_tokens: output },
});

/** Responds with a status alone. */
export const withStatus = (code: number) => (response: ServerResponse) => void response.writeHead(code).end('{}');

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
