import { startFauxqs } from 'fauxqs';

/** An emulator of S3 that keeps its objects in memory. Runs as a process of its own and sends its port. */
const server = await startFauxqs({ port: 0, logger: false, host: 'localhost' });
server.createBucket('exports');
process.send?.(server.port);
process.on('disconnect', () => process.exit(0));
