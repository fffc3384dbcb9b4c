import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundleTo } from '../../packages/cli/bundle.config.ts';
import { printTable } from '../shared/table.ts';

/**
 * Measures the start of the command line, from the start of the process to its end: `npm run bench -- cli`. The API is a local server
 * that answers at once, so that the last row is the time of the client alone. The rounds alternate between the commands.
 */
const ROUNDS = 21;
/** Upper bounds of the medians, ms. */
const TARGETS: Readonly<Record<string, number>> = { '--version': 80, whoami: 200 };

const folder = mkdtempSync(join(tmpdir(), 'tm-bench-'));
const program = join(folder, 'tidemark.js');
writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
await bundleTo(program);

const ME = { id: 'ws_1', name: 'Bench', plan: 'free', credits: { remaining: 1 }, limits: { rpm: 60 }, key: null };
const server = createServer((_, response) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(ME)),
);
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const bound = server.address();
const baseUrl = `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}/v1`;
const env = { PATH: process.env['PATH'], HOME: folder, TIDEMARK_API_KEY: 'service_bench', TIDEMARK_BASE_URL: baseUrl };

const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  'node alone': ['-e', '0'],
  '--version': [program, '--version'],
  '--help': [program, '--help'],
  whoami: [program, 'whoami'],
};
const times = new Map<string, number[]>(Object.keys(COMMANDS).map((name) => [name, []]));
for (let round = 0; round < ROUNDS; round += 1)
  for (const [name, args] of Object.entries(COMMANDS)) {
    const startedAt = performance.now();
    await promisify(execFile)(process.execPath, [...args], { env });
    times.get(name)?.push(performance.now() - startedAt);
  }
server.close();

const rows = [...times].map(([name, all]) => {
  const sorted = all.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const target = TARGETS[name];
  if (target !== undefined && median > target) process.exitCode = 1;
  return [name, median.toFixed(0), (sorted[0] ?? 0).toFixed(0), target === undefined ? '-' : `≤ ${target}`];
});
printTable(['command', 'median ms', 'min ms', 'target ms'], rows);
console.log(`${(statSync(program).size / 1024).toFixed(0)} KB, one file, ${ROUNDS} rounds`);
rmSync(folder, { recursive: true });
