// `node --conditions=tidemark-source tools/wiring.ts [--write]`: compares the services in compose.yaml and in the values of the chart and
// the tables of settings in the READMEs with deploy/services.ts and the config.ts of each service; --write replaces those that differ.
import { resolve } from 'node:path';
import { compareWiring } from './wiring/generated-parts.ts';

const mode = process.argv.includes('--write') ? 'write' : 'check';
const { services, files, problems } = await compareWiring(resolve(import.meta.dirname, '..'), mode);
for (const problem of problems) console.error(problem);
console.log(`${services} services, ${files.length} files with generated parts`);
if (problems.length > 0) process.exitCode = 1;
