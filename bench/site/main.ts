// Serves a test site until its parent process ends: node bench/site/main.ts --settings '{"pages":600}' --host 127.0.0.2
import { readCommandLine } from './options.ts';
import { TestSite } from './site.ts';

const { options, listen } = readCommandLine(process.argv.slice(2));
const site = new TestSite(options);
const port = await site.listen(listen);
if (process.send === undefined) console.log(`http://${listen.host}:${port}/`);
else {
  process.once('disconnect', () => process.exit(0));
  process.send({ port });
}
