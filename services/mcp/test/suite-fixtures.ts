import { completable, type McpServer, ResourceTemplate, type ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';

// A picture of one pixel and a sound without samples.
const IMAGE = {
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  mimeType: 'image/png',
};
const AUDIO = { data: 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=', mimeType: 'audio/wav' };

const text = (content: string) => ({ type: 'text' as const, text: content });
const image = { type: 'image' as const, ...IMAGE };
const resource = (uri: string, content: string, mimeType = 'text/plain') => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: content },
});
const promptOf = (...content: readonly (ReturnType<typeof text> | typeof image | ReturnType<typeof resource>)[]) => ({
  messages: content.map((each) => ({ role: 'user' as const, content: each })),
});

/** Reports progress as the suite expects it: 0, 50 and 100 of 100. */
async function report({ mcpReq }: ServerContext): Promise<void> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  for (const progress of [0, 50, 100])
    await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
}

function addTools(server: McpServer): void {
  const results = {
    test_simple_text: [text('This is a simple text response for testing.')],
    test_image_content: [image],
    test_audio_content: [{ type: 'audio' as const, ...AUDIO }],
    test_embedded_resource: [resource('test://embedded-resource', 'This is an embedded resource content.')],
    test_multiple_content_types: [
      text('Multiple content types test:'),
      image,
      resource('test://mixed-content-resource', '{"test":"data","value":123}', 'application/json'),
    ],
  };
  for (const [name, content] of Object.entries(results))
    server.registerTool(name, { description: 'Of the suite' }, async () => ({ content }));
  server.registerTool('test_error_handling', { description: 'Of the suite' }, async () => ({
    isError: true,
    content: [text('This tool intentionally returns an error for testing')],
  }));
  server.registerTool('test_tool_with_progress', { description: 'Of the suite' }, async (context) => {
    await report(context);
    return { content: [text('done')] };
  });
  server.registerTool('test_logging_tool', { description: 'Of the suite' }, async () => ({ content: [text('done')] }));
}

function addResources(server: McpServer): void {
  const about = { description: 'Of the suite' };
  server.registerResource(
    'static-text',
    'test://static-text',
    { ...about, mimeType: 'text/plain' },
    async ({ href }) => ({
      contents: [{ uri: href, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }],
    }),
  );
  server.registerResource('static-binary', 'test://static-binary', about, async ({ href }) => ({
    contents: [{ uri: href, mimeType: IMAGE.mimeType, blob: IMAGE.data }],
  }));
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined });
  server.registerResource('template', template, about, async ({ href }, { id }) => ({
    contents: [
      {
        uri: href,
        mimeType: 'application/json',
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
      },
    ],
  }));
}

function addPrompts(server: McpServer): void {
  const about = { description: 'Of the suite' };
  server.registerPrompt('test_simple_prompt', about, async () =>
    promptOf(text('This is a simple prompt for testing.')),
  );
  const argsSchema = z.object({ arg1: completable(z.string(), () => ['paris', 'park', 'party']), arg2: z.string() });
  server.registerPrompt('test_prompt_with_arguments', { ...about, argsSchema }, async ({ arg1, arg2 }) =>
    promptOf(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { ...about, argsSchema: z.object({ resourceUri: z.string() }) },
    async ({ resourceUri }) =>
      promptOf(resource(resourceUri, 'Embedded resource content for testing.'), text('Process it.')),
  );
  server.registerPrompt('test_prompt_with_image', about, async () => promptOf(image, text('Analyze the image.')));
}

/** Adds the tools, resources and prompts that scenarios of the conformance suite call. */
export function withSuiteFixtures(server: McpServer): McpServer {
  addTools(server);
  addResources(server);
  addPrompts(server);
  return server;
}
