import type { ContentOptions } from './content-options.ts';

/** Default options. */
export const USUAL_CONTENT: ContentOptions = {
  onlyMainContent: true,
  includeSelectors: [],
  excludeSelectors: [],
  removeBanners: true,
  removeBase64Images: true,
  omitTitleHeading: false,
  fields: {},
  explain: false,
};
