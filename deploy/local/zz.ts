import { ensureCredentials } from './credentials.ts';
import { makeProgress } from './progress.ts';
import { selfCheck } from './self-check.ts';
import { startStack } from './stack.ts';
import { selfCheckText, welcomeText } from './welcome.ts';

const t = Date.now();
const s = await startStack({
  dataDir: process.argv[2] ?? '.tidemark/zz',
  services: ['identity', 'billing', 'archive', 'scrape', 'gateway'],
  progress: makeProgress((l) => console.log(l)),
});
try {
  const c = await ensureCredentials(s);
  console.log(c, Date.now() - t);
  const page = s.sampleSiteUrl + '/docs/getting-started';
  for (let i = 0; i < 3; i++) console.log(selfCheckText(await selfCheck(c, page)));
  console.log(welcomeText(c, page));
  if (process.argv[3]) await new Promise(() => setInterval(() => {}, 1000));
} finally {
  const u = Date.now();
  await s.stop();
  console.log('stopped', Date.now() - u);
}
