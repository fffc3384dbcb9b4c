// `node --conditions=tidemark-source tools/helm.ts template tidemark helm/tidemark`: helm, fetched at the first use.
import { spawnSync } from 'node:child_process';
import { messageOf } from '../deploy/local/problem.ts';
import { helmEnv, helmPath } from './chart/helm.ts';

try {
  const env = { ...process.env, ...helmEnv() };
  process.exitCode = spawnSync(await helmPath(), process.argv.slice(2), { stdio: 'inherit', env }).status ?? 1;
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
}
