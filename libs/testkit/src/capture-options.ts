import { CaptureOptions } from '@tidemark/contracts/scrape/v1/scrape';

/** Options as a request that says nothing gets them, with some of a test's own. */
export const captureOptions = (more: Partial<CaptureOptions> = {}): CaptureOptions => ({
  ...CaptureOptions.fromPartial({
    formats: ['markdown'],
    onlyMainContent: true,
    renderJs: 'auto',
    maxTier: 'browser',
    respectRobots: true,
    timeoutSeconds: 20,
    useProxy: 'auto',
    device: 'desktop',
    blockResources: true,
    removeBanners: true,
    removeBase64Images: true,
    parseDocuments: true,
    screenshot: 'none',
  }),
  ...more,
});
