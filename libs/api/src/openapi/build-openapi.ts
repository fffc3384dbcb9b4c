import { EVENT_NAMES } from '@tidemark/webhook-events';
import { z } from 'zod';
import type { AnyRoute } from '../route.ts';
import { ErrorBody } from '../schemas/parts.ts';
import { TAGS } from '../tags.ts';
import { ALL_CODES, ErrorResponses } from './error-responses.ts';
import { headerComponents } from './headers.ts';
import { asObject, type Json } from './json-schema.ts';
import { operationOf, type Shared } from './operation.ts';
import { parameterComponents } from './parameters.ts';
import { describeDefaults } from './request-defaults.ts';
import { type Components, schemaOf } from './schema-of.ts';
import { webhookOf } from './webhooks.ts';

const INFO = {
  title: 'Tidemark',
  version: '1.0',
  description: 'Clean content from any web address, a verdict on each fetch, and a record of what changed.',
  contact: { name: 'The operator of this deployment' },
  license: { name: 'All rights reserved', identifier: 'LicenseRef-All-rights-reserved' },
};

/** The schema of every error body, with all codes. */
function errorSchema(): Json {
  const schema = schemaOf(z.object(ErrorBody.shape), 'output', {});
  const properties = asObject(schema['properties']);
  return { ...schema, properties: { ...properties, code: { ...asObject(properties['code']), enum: ALL_CODES } } };
}

/** Builds the OpenAPI 3.1 document of the whole interface from the routes. */
export function buildOpenApi(routes: readonly AnyRoute[], serverUrl: string): Record<string, unknown> {
  const components: Components = { Error: errorSchema() };
  const methods = new Map(
    [...Map.groupBy(routes, ({ path }) => path)].map(([path, group]) => [
      path,
      group.map(({ method }) => method.toUpperCase()),
    ]),
  );
  const shared: Shared = { components, errors: new ErrorResponses(), methods };
  const paths: Record<string, Json> = {};
  for (const route of routes) paths[route.path] = { ...paths[route.path], [route.method]: operationOf(route, shared) };
  const webhooks = Object.fromEntries(EVENT_NAMES.map((name) => [name, webhookOf(name, components)]));
  const described = describeDefaults(paths, components);
  return {
    openapi: '3.1.0',
    info: INFO,
    servers: [{ url: serverUrl }],
    security: [{ key: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: described.paths,
    webhooks,
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'An API key, such as `service_…`' } },
      parameters: parameterComponents(),
      headers: headerComponents(),
      responses: shared.errors.components,
      schemas: described.components,
    },
  };
}
