const OPENING = '```text service-graph\n';
const CLOSING = '\n```';

/** The graph in a document; undefined where the document has no block for it. */
export function readBlock(document: string): string | undefined {
  const place = placeOf(document);
  return place && document.slice(place.from, place.to);
}

/** The document with this graph in its block. @throws Error where it has none */
export function writeBlock(document: string, graph: string): string {
  const place = placeOf(document);
  if (place === undefined) throw new Error(`there is no block that begins with ${OPENING.trim()}`);
  return `${document.slice(0, place.from)}${graph}${document.slice(place.to)}`;
}

function placeOf(document: string): { readonly from: number; readonly to: number } | undefined {
  const opening = document.indexOf(OPENING);
  if (opening === -1) return undefined;
  const from = opening + OPENING.length;
  // The newline before the closing fence may be the one that ends the opening: the block is empty then.
  const closing = document.indexOf(CLOSING, from - 1);
  return closing === -1 ? undefined : { from, to: Math.max(from, closing) };
}
