import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EXPECTED_FAILURES, REVISIONS, runConformance } from './conformance.ts';
import { type ConformanceServer, startConformanceServer } from './conformance-server.ts';

let server: ConformanceServer;
beforeAll(async () => {
  server = await startConformanceServer();
});
afterAll(() => server.close());

describe('the MCP conformance suite', () => {
  it.each(REVISIONS)(
    'fails the listed scenarios of %s only, which need what this server does not have',
    async (revision) => {
      const { passed, failed } = await runConformance(server.url, revision);
      expect(failed.toSorted()).toEqual(Object.keys(EXPECTED_FAILURES[revision]).toSorted());
      expect(passed).toEqual(expect.arrayContaining(['tools-list', 'dns-rebinding-protection']));
    },
  );
});
