import type { createGot } from '@tidemark/egress';
import { toFetchFailed } from '@tidemark/egress';
import { MAX_ROBOTS_BYTES, type RobotsFile } from './robots-gate.ts';

/** Reads the first 500 KiB of a robots.txt; what comes after is not asked for. @throws FetchFailed */
export function makeFetchRobots(got: ReturnType<typeof createGot>, userAgent: string) {
  return (robotsUrl: string): Promise<RobotsFile> =>
    new Promise((resolve, reject) => {
      const stream = got.stream(robotsUrl, { headers: { 'user-agent': userAgent }, timeout: { request: 10_000 } });
      const chunks: Buffer[] = [];
      let status = 0;
      let bytes = 0;
      const finish = () => {
        resolve({ status, body: Buffer.concat(chunks).subarray(0, MAX_ROBOTS_BYTES).toString('utf8') });
        stream.destroy();
      };
      stream.on('response', (response: { statusCode: number }) => {
        status = response.statusCode;
      });
      stream.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes >= MAX_ROBOTS_BYTES) finish();
      });
      stream.on('end', finish);
      stream.on('error', (error) => reject(toFetchFailed(error)));
    });
}
