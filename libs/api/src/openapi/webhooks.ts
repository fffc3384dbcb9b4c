import {
  DELIVERY_RULES,
  EVENTS,
  type EventName,
  exampleOf,
  messageSchema,
  WEBHOOK_HEADERS,
} from '@tidemark/webhook-events';
import type { Json } from './json-schema.ts';
import { type Components, schemaOf } from './schema-of.ts';

/** Returns the webhook object of one event. */
export function webhookOf(name: EventName, components: Components): Json {
  const headers = Object.entries(WEBHOOK_HEADERS).map(([header, { description, example }]) => ({
    name: header,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string' },
    example,
  }));
  const schema = schemaOf(messageSchema(name), 'output', components);
  return {
    post: {
      operationId: name.replace(/[._](\w)/g, (_, letter: string) => letter.toUpperCase()),
      tags: ['Webhooks'],
      summary: name,
      description: `${EVENTS[name].description}\n\n${DELIVERY_RULES}`,
      security: [],
      parameters: headers,
      requestBody: { required: true, content: { 'application/json': { schema, example: exampleOf(name) } } },
      responses: {
        '2XX': { description: 'The message is accepted' },
        '4XX': { description: 'The message is refused, and the delivery fails; 408 and 429 are retried' },
        '5XX': { description: 'The message is sent again later' },
      },
    },
  };
}
