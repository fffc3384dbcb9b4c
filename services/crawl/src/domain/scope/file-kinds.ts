/** Extensions of files that contain no page: media, archives, programs, fonts, machine-readable data. */
const NO_PAGES = new Set(
  (
    '7z aac ai aiff apk asx avi avif bin bmp bz2 cab class css dat deb dmg dll eot eps exe flac flv gif gz ico img iso jar ' +
    'jpe jpeg jpg js lz m3u8 m4a m4v map mid mjs mkv mov mp2 mp3 mp4 mpa mpeg mpg msi ogg ogv otf pkg png psd pyc ra ram rar rm rpm ' +
    'so svg svgz swf tar tgz tif tiff torrent ttf war wasm wav webm webmanifest webp wma wmv woff woff2 xz zip zst'
  ).split(' '),
);

/** Returns the extension that rules out a page; undefined if the path may be a page. Documents such as PDF and DOCX count as pages. */
export function filelike(pathname: string): string | undefined {
  const dot = pathname.lastIndexOf('.');
  if (dot === -1 || dot < pathname.lastIndexOf('/') || pathname.length - dot > 12) return undefined;
  const ending = pathname.slice(dot + 1).toLowerCase();
  return NO_PAGES.has(ending) ? ending : undefined;
}
