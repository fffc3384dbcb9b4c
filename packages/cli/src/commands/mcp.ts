import type { Command } from 'commander';
import { contextOf, type GlobalOptions } from '../context.ts';

export function addMcp(program: Command): void {
  program
    .command('mcp')
    .description('serve the API as tools for agents: MCP over standard input and output')
    .addHelpText(
      'before',
      'Examples:\n  TIDEMARK_API_KEY=service_… tidemark mcp\n  claude mcp add tidemark -- tidemark mcp\n',
    )
    .action(async (_: object, command: Command) => {
      const { access, client, signal } = contextOf(command);
      client(); // fails at once without a key
      const { serveMcp } = await import('../mcp-server.ts');
      const { workspace } = command.optsWithGlobals<GlobalOptions>();
      serveMcp({ apiKey: access.apiKey, baseUrl: access.baseUrl, workspace }, signal);
    });
}
