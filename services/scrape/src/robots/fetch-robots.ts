import { type Got, toFetchFailed } from '@tidemark/egress';
import { MAX_ROBOTS_BYTES, type RobotsFile, robotsText } from '@tidemark/robots';

/** Redirects that lead nowhere: the file is unavailable, which allows everything (RFC 9309 2.3.1.2). */
const BAD_REDIRECT = /^ERR_(?:TOO_MANY_REDIRECTS|UNSUPPORTED_PROTOCOL)$/;

/**
 * Returns a function that reads the first 500 KiB of a robots.txt.
 * @throws FetchFailed
 */
export function makeFetchRobots(got: Got, userAgent: string) {
  return (robotsUrl: string): Promise<RobotsFile> =>
    new Promise((resolve, reject) => {
      const stream = got.stream(robotsUrl, { headers: { 'user-agent': userAgent }, timeout: { request: 10_000 } });
      const chunks: Buffer[] = [];
      let status = 0;
      let bytes = 0;
      const finish = () => {
        resolve({ status, body: robotsText(Buffer.concat(chunks)) });
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
      stream.on('error', (error: Error & { code?: string }) => {
        if (BAD_REDIRECT.test(error.code ?? '')) resolve({ status: status || 302, body: '' });
        else reject(toFetchFailed(error));
      });
    });
}
