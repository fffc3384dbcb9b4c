/** The texts before and after a generated part of a file. */
export interface BlockMarks {
  readonly opening: string;
  readonly closing: string;
}

/** Returns the text in the block of a document; undefined if it has no such block. */
export function readBlock(document: string, marks: BlockMarks): string | undefined {
  const place = placeOf(document, marks);
  return place && document.slice(place.from, place.to);
}

/** Returns the document with this text in its block. @throws Error if it has no such block */
export function writeBlock(document: string, text: string, marks: BlockMarks): string {
  const place = placeOf(document, marks);
  if (place === undefined) throw new Error(`there is no block that begins with ${marks.opening.trim()}`);
  return `${document.slice(0, place.from)}${text}${document.slice(place.to)}`;
}

function placeOf(
  document: string,
  { opening, closing }: BlockMarks,
): { readonly from: number; readonly to: number } | undefined {
  const start = document.indexOf(opening);
  if (start === -1) return undefined;
  const from = start + opening.length;
  // The newline before the closing mark may be the one that ends the opening: the block is empty then.
  const end = document.indexOf(closing, from - 1);
  return end === -1 ? undefined : { from, to: Math.max(from, end) };
}
