import { assumeHttps, parseWebUrl } from '@tidemark/web-url';
import { z } from 'zod';

/** A URL given by a user: http or https, no credentials, at most 2,048 characters. The egress guard checks the resolved address later. */
export const WebUrl = z
  .string('expected an http or https URL')
  .overwrite(assumeHttps)
  .check((ctx) => {
    const parsed = parseWebUrl(ctx.value);
    if (!parsed.ok)
      ctx.issues.push({ code: 'custom', message: parsed.reason, input: ctx.value, params: { type: 'url' } });
  })
  .meta({
    format: 'uri',
    description: 'An http or https URL; https if it has no scheme',
    example: 'https://example.com/',
  });
