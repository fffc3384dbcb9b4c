import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../problem.ts';
import { debianPackages, packageFolder } from './debian-packages.ts';

/** Debian's packages of fonts that most systems and the packaged Chromium lack, with a file of each. */
const FONTS = {
  'fonts-noto-cjk': 'usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc',
  'fonts-noto-color-emoji': 'usr/share/fonts/truetype/noto/NotoColorEmoji.ttf',
} as const;
const NAMES = Object.keys(FONTS);

/** Returns the folder in which the fonts are, once they are unpacked. */
export const browserFontsFolder = (toolsDir: string): string => packageFolder(toolsDir, NAMES);

/** Whether the browser has the fonts: those of the system, or unpacked ones. */
export const hasBrowserFonts = (toolsDir: string): boolean => isInstalled() || existsSync(browserFontsFolder(toolsDir));

const isInstalled = (): boolean => Object.values(FONTS).every((file) => existsSync(join('/', file)));

/**
 * Unpacks the fonts for Chinese, Japanese, Korean and emoji beside the browser, unless the system has them. Without them pages are captured
 * nevertheless: there is a warning here, and one with each screenshot that shows such text.
 */
export async function unpackBrowserFonts(toolsDir: string, note: (text: string) => void): Promise<void> {
  if (isInstalled()) return;
  try {
    await debianPackages(toolsDir, NAMES, note);
  } catch (error) {
    note(
      `WARNING: screenshots show no Chinese, Japanese, Korean and emoji: ${messageOf(error)} (Debian packages ${NAMES.join(', ')})`,
    );
  }
}
