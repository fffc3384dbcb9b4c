/** Reads pages with the requested tools in a separate process, so that a tool that hangs or crashes does not end the evaluation. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { decodeBody } from '@tidemark/page-reader';
import type { EvalReply, EvalTask } from './reader-pool.ts';
import { TOOLS } from './tools.ts';

async function respond({ tool, path, url, omitTitleHeading }: EvalTask): Promise<EvalReply> {
  try {
    const { html } = decodeBody(gunzipSync(readFileSync(path)), undefined);
    const read = TOOLS[tool];
    if (!read) throw new Error(`no tool ${tool}`);
    return { response: await read(html, url, omitTitleHeading) };
  } catch (error) {
    return { fault: String(error).slice(0, 200) };
  }
}

// Warnings of the tools about pages would hide the tables.
console.warn = () => {};
console.error = () => {};
console.log = () => {};
process.on('message', (task: EvalTask) => {
  void respond(task).then((reply) => process.send?.(reply));
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
