import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import { benchPage } from '../shared/sample-page.ts';

/** Serves the benchmark's page in a separate process and sends its port to the parent. */
const plain = Buffer.from(benchPage());
const packed = gzipSync(plain);

const server = createServer((request, response) => {
  if (request.url === '/robots.txt') return response.writeHead(404).end();
  const gzip = request.headers['accept-encoding']?.includes('gzip') === true;
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    ...(gzip ? { 'content-encoding': 'gzip' } : {}),
    'content-length': gzip ? packed.length : plain.length,
  });
  return response.end(gzip ? packed : plain);
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.2', () => {
  const address = server.address();
  if (typeof address === 'object' && address !== null)
    process.send?.({ port: address.port, bytes: plain.length, packed: packed.length });
});
process.on('disconnect', () => process.exit(0));
