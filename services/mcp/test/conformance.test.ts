import { execFile } from 'node:child_process';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '@tidemark/service';
import { createEndpoint, type McpEndpoint } from '../src/create-endpoint.ts';
import { serveHttp } from '../src/serve-http.ts';
import { type FakeApi, fillIn, startFakeApi } from './fake-api.ts';

const SUITE = join(import.meta.dirname, '../node_modules/@modelcontextprotocol/conformance/dist/index.js');

/**
 * Scored scenarios that must pass. The others need tools, prompts and resources of the suite (test_simple_text, test://…) or features that
 * this server does not declare: completion, logging, sampling, elicitation, tasks.
 */
const PASSING: Readonly<Record<string, readonly string[]>> = {
  '2026-07-28': [
    ...['tools-list', 'server-sse-multiple-streams', 'sep-2164-resource-not-found', 'dns-rebinding-protection'],
    ...['input-required-result-missing-input-response', 'input-required-result-unsupported-methods'],
    ...['input-required-result-ignore-extra-params', 'input-required-result-validate-input', 'http-header-validation'],
  ],
  '2025-11-25': [
    ...['server-initialize', 'ping', 'tools-list', 'server-sse-multiple-streams', 'dns-rebinding-protection'],
    ...['server-session-lifecycle', 'server-sse-polling'],
  ],
};

let api: FakeApi;
let server: Server;
let url = '';

beforeAll(async () => {
  api = await startFakeApi();
  fillIn(api.responses);
  const log = createLogger('mcp', 'silent');
  const own = createEndpoint({ apiUrl: api.url, publicUrl: undefined, resource: undefined, version: '1.0.0', log });
  // The suite sends no credentials.
  const admit: McpEndpoint['admit'] = (request, address) => {
    request.headers.set('authorization', 'Bearer write');
    return own.admit(request, address);
  };
  server = await serveHttp('127.0.0.1:0', { endpoint: { ...own, admit }, resource: undefined, log });
  const bound = server.address();
  url = `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}/mcp`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await api.close();
});

/** Runs the suite and returns its output. Its exit code is 1 where a scenario fails. */
const runSuite = (revision: string): Promise<string> =>
  new Promise((resolve) => {
    const args = [SUITE, 'server', '--url', url, '--requirements', revision];
    execFile(process.execPath, args, { timeout: 50_000, maxBuffer: 16_000_000 }, (_error, stdout) => resolve(stdout));
  });

describe('the MCP conformance suite', () => {
  it.each(Object.entries(PASSING))(
    'passes the scenarios of %s that need no fixtures, and no others',
    async (revision, expected) => {
      const output = await runSuite(revision);
      const summary = output.slice(output.indexOf('=== SUMMARY ==='), output.indexOf('Total:'));
      const passed = [...summary.matchAll(/✓ ([\w-]+): (\d+) passed, 0 failed/g)].map(([, name]) => name);
      const unscored = ['tasks-status-notifications'];
      expect(passed.filter((name) => name !== undefined && !unscored.includes(name)).toSorted()).toEqual(
        expected.toSorted(),
      );
    },
  );
});
