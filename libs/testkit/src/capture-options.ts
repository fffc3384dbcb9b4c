import { CaptureOptions } from '@tidemark/contracts/scrape/v1/scrape';

/** Returns the default capture options, with a test's own on top. */
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
    omitTitleHeading: false,
    parseDocuments: true,
    screenshot: 'none',
  }),
  ...more,
});
