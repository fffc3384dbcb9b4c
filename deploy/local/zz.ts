import { makeProgress } from './progress.ts';
import { startStack } from './stack.ts';

const t = Date.now();
const s = await startStack({
  dataDir: process.argv[2] ?? '.tidemark/zz',
  services: [],
  ephemeral: process.argv[3] === 'e',
  progress: makeProgress((l) => console.log(l)),
});
console.log(Date.now() - t, s.url, s.urls, s.sampleSiteUrl, s.parts.postgres.pid);
for (const [n, h] of s.services) console.log(n, h.pid, h.grpcAddr, h.httpAddr);
if (process.argv[4]) await new Promise(() => setInterval(() => {}, 1000));
await s.parts.postgres.kill('SIGKILL');
await s.parts.postgres.restart();
console.log('restarted', s.parts.postgres.pid);
await s.services.get('identity')?.restart();
console.log('restarted identity', Date.now() - t);
await s.stop();
console.log('stopped', Date.now() - t);
