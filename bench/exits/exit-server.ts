import { Server } from 'proxy-chain';

/** An exit for the benchmark, in a separate process; sends its port to its parent. */
const server = new Server({ host: '127.0.0.1', port: 0 });
await server.listen();
process.send?.({ port: server.port });
process.on('disconnect', () => process.exit(0));
