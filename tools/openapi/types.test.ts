import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { buildOpenApi, routes } from '@tidemark/api';
import openapiTS, { astToString } from 'openapi-typescript';

const TSC = resolve(import.meta.dirname, '../../node_modules/.bin/tsc');
const STRICT = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--ignoreConfig'];

/** Uses the generated types as a client does. */
const CLIENT = `import type { components, operations } from './api.ts';

export const request: operations['startScrape']['requestBody']['content']['application/json'] = { url: 'https://example.com/' };
export const creditsOf = (job: components['schemas']['JobEnvelope']): number => job.creditsUsed;
export const codes: components['schemas']['Error']['code'][] = ['validation', 'rate_limited'];
// @ts-expect-error an unknown code is refused
export const unknown: components['schemas']['Error']['code'] = 'nonsense';
// @ts-expect-error only conflict is possible with 409
export const conflict: components['responses']['Conflict']['content']['application/json']['code'] = 'not_found';
`;

it('the types that openapi-typescript generates from the document compile under strict, and a client can use them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tm-types-'));
  try {
    // The generator reads JSON; the document has no other values.
    const document = JSON.stringify(buildOpenApi(Object.values(routes), '/v1'));
    await writeFile(join(folder, 'api.ts'), astToString(await openapiTS(document, { defaultNonNullable: false })));
    await writeFile(join(folder, 'client.ts'), CLIENT);
    const args = [...STRICT, '--module', 'nodenext', '--allowImportingTsExtensions', 'client.ts'];
    const result = await promisify(execFile)(TSC, args, { cwd: folder }).catch((error: unknown) => error);
    expect(result).toMatchObject({ stdout: '' });
    expect(result).not.toHaveProperty('code');
  } finally {
    await rm(folder, { recursive: true });
  }
});
