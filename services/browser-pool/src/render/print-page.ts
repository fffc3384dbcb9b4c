import type { Tab } from '../chromium/tab.ts';

/** Prints HTML on A4 with the print styles of the page. No script runs; the egress proxy of the tab guards what the page would load. */
export async function printPage({ session, mainFrameId: frameId }: Tab, html: string): Promise<Buffer> {
  await session.send('Emulation.setScriptExecutionDisabled', { value: true });
  await session.send('Page.setDocumentContent', { frameId, html });
  const { data } = await session.send('Page.printToPDF', { preferCSSPageSize: true, printBackground: true });
  return Buffer.from(data, 'base64');
}
