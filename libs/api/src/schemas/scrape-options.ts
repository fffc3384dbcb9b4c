import { CONFIG_KEYS, describeKey } from '@tidemark/project-config';
import { z } from 'zod';
import { Formats } from './page.ts';

/** Short names of frequent settings; they take precedence over `config`. */
export const ScrapeOptions = z
  .strictObject({
    formats: Formats,
    onlyMainContent: CONFIG_KEYS.only_main_content.schema.describe(describeKey('only_main_content')),
    includeSelectors: CONFIG_KEYS.include_selectors.schema.describe(describeKey('include_selectors')),
    excludeSelectors: CONFIG_KEYS.exclude_selectors.schema.describe(describeKey('exclude_selectors')),
    waitFor: CONFIG_KEYS.wait_for.schema.describe(describeKey('wait_for')),
    actions: CONFIG_KEYS.actions.schema.describe(describeKey('actions')),
    headers: CONFIG_KEYS.headers.schema.describe(describeKey('headers')),
    fields: CONFIG_KEYS.fields.schema.describe(describeKey('fields')),
    screenshot: CONFIG_KEYS.screenshot.schema.describe(describeKey('screenshot')),
    maxAge: CONFIG_KEYS.max_age_seconds.schema.describe(describeKey('max_age_seconds')),
  })
  .partial()
  .meta({ id: 'ScrapeOptions' });
export type ScrapeOptions = z.output<typeof ScrapeOptions>;
