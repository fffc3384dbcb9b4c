/** A process that reads pages with the tools it is asked for: one that hangs or crashes takes nobody with it. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { decodeBody } from '../../services/scrape/src/content/read-page.ts';
import type { EvalReply, EvalTask } from './reader-pool.ts';
import { TOOLS } from './tools.ts';

async function answer({ tool, path, url }: EvalTask): Promise<EvalReply> {
  try {
    const { html } = decodeBody(gunzipSync(readFileSync(path)), undefined);
    const read = TOOLS[tool];
    if (!read) throw new Error(`no tool ${tool}`);
    return { answer: await read(html, url) };
  } catch (error) {
    return { fault: String(error).slice(0, 200) };
  }
}

// Tools warn about what they meet on a page; the tables are what is to be read.
console.warn = () => {};
console.error = () => {};
console.log = () => {};
process.on('message', (task: EvalTask) => {
  void answer(task).then((reply) => process.send?.(reply));
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
