/** Endings of files that hold no page: media, archives, programs, fonts, data that only programs read. */
const NO_PAGES = new Set(
  (
    '7z aac ai aiff apk asx avi avif bin bmp bz2 cab class css dat deb dmg dll eot eps exe flac flv gif gz ico img iso jar ' +
    'jpe jpeg jpg js lz m3u8 m4a m4v map mid mjs mkv mov mp2 mp3 mp4 mpa mpeg mpg msi ogg ogv otf pkg png psd pyc ra ram rar rm rpm ' +
    'so svg svgz swf tar tgz tif tiff torrent ttf war wasm wav webm webmanifest webp wma wmv woff woff2 xz zip zst'
  ).split(' '),
);

/** The ending by which a path is known to hold no page; undefined where it may. Documents (PDF, DOCX and the like) may. */
export function filelike(pathname: string): string | undefined {
  const dot = pathname.lastIndexOf('.');
  if (dot === -1 || dot < pathname.lastIndexOf('/') || pathname.length - dot > 12) return undefined;
  const ending = pathname.slice(dot + 1).toLowerCase();
  return NO_PAGES.has(ending) ? ending : undefined;
}
