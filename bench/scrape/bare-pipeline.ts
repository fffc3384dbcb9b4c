import { createGuard, createHttpClient, parseAllowList, USER_AGENT } from '@tidemark/egress';
import { readBody, USUAL_CONTENT } from '@tidemark/page-reader';
import { runLoad } from '../shared/load.ts';

/** Runs the same fetch and reading in a bare process, as an upper bound of the machine. One process per core. */
const { url, connections, seconds } = JSON.parse(process.argv[2] ?? '{}');
const client = createHttpClient(createGuard({ allow: parseAllowList(new URL(url).host) }), {
  headers: { 'user-agent': USER_AGENT },
});

async function once(): Promise<void> {
  const response = await client.fetch(url);
  const contentType = response.headers['content-type'];
  await readBody({
    body: response.body,
    contentType: Array.isArray(contentType) ? contentType[0] : contentType,
    status: response.status,
    headers: response.headers,
    requestedUrl: url,
    landedUrl: response.landedUrl,
    rendered: false,
    languages: [],
    content: USUAL_CONTENT,
    parseDocuments: true,
    output: 'bodies',
    minWords: 0,
    formats: ['markdown'],
  });
}

await runLoad(once, { connections, seconds: 3 });
const before = process.cpuUsage();
const result = await runLoad(once, { connections, seconds });
const { user, system } = process.cpuUsage(before);
process.send?.({ ...result, cpuMs: (user + system) / 1000 / result.count });
await client.close();
process.disconnect?.();
