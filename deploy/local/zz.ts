import { startStack } from './stack.ts';
import { makeProgress } from './progress.ts';
const t = Date.now();
const s = await startStack({ dataDir: process.argv[2] ?? '.tidemark/zz', services: [], ephemeral: process.argv[3] === 'e', progress: makeProgress((l) => console.log(l)) });
console.log(Date.now() - t, s.url, s.urls, s.sampleSiteUrl, s.parts.postgres.pid);
await s.parts.postgres.kill('SIGKILL'); await s.parts.postgres.restart(); console.log('restarted', s.parts.postgres.pid);
await s.stop(); console.log('stopped', Date.now() - t);
