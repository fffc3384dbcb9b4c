// The bundle contains this module as compressed text, which the command imports: see bundle.config.ts.
import { serveToolsOverStdio } from '@tidemark/mcp-tools/stdio';
import { type ClientOptions, Tidemark } from '@tidemark/sdk';
import { VERSION } from './version.ts';

/**
 * Serves the tools over standard input and output until the signal aborts or the input ends. Creates the client itself: errors of the SDK
 * copy in another bundle would not be recognized. Without retries: a wait for Retry-After could exceed the timeout of the agent.
 */
export function serveMcp(options: ClientOptions, signal: AbortSignal): void {
  const onError = (error: unknown): void => void process.stderr.write(`mcp: ${String(error)}\n`);
  const close = serveToolsOverStdio({ client: new Tidemark({ ...options, maxRetries: 0 }), version: VERSION, onError });
  signal.addEventListener('abort', () => void close());
}
