import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { VERSION } from '../version.ts';

export function addMcp(program: Command): void {
  program
    .command('mcp')
    .description('serve the API as tools for agents: MCP over standard input and output')
    .addHelpText(
      'before',
      'Examples:\n  TIDEMARK_API_KEY=service_… tidemark mcp\n  claude mcp add tidemark -- tidemark mcp\n',
    )
    .action(async (_: object, command: Command) => {
      const { client, signal } = contextOf(command);
      const api = client();
      // Loaded by this command only: the other commands start faster without it.
      const { serveToolsOverStdio } = await import('@tidemark/mcp-tools/stdio');
      const onError = (error: unknown): void => void process.stderr.write(`mcp: ${String(error)}\n`);
      const close = serveToolsOverStdio({ client: api, version: VERSION, onError });
      signal.addEventListener('abort', () => void close());
    });
}
