import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Tidemark } from '@tidemark/sdk';
import { accessOf } from './access.ts';
import { createToolServer } from './create-tool-server.ts';
import type { Access } from './tool.ts';

export interface StdioOptions {
  readonly client: Tidemark;
  readonly version: string;
  readonly onError: (error: unknown) => void;
}

/** Serves the tools over standard input and output, with one key. Returns the function that ends the connection. */
export function serveToolsOverStdio({ client, version, onError }: StdioOptions): () => Promise<void> {
  let known: Promise<Access> | undefined;
  // The scopes of a key never change. A failed request is repeated with the next call.
  const access = async (): Promise<Access> => {
    known ??= accessOf(client);
    known.catch(() => {
      known = undefined;
    });
    return await known;
  };
  const handle = serveStdio(() => createToolServer({ client, version, access, onError }), { onerror: onError });
  return () => handle.close();
}
