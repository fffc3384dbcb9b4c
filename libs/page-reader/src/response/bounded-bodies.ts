import { PageBodies } from '@tidemark/contracts/page/v1/page';

/** Bytes of all bodies of a page. A message between services has 64 MB at most, and a response holds them twice. */
export const MAX_BODIES_BYTES = 32 * 1024 * 1024;

const OMITTABLE = ['cleanHtml', 'text', 'markdown', 'rawHtml', 'linksJson'] as const;
const FORMATS = { cleanHtml: 'cleanHtml', text: 'text', markdown: 'markdown', rawHtml: 'rawHtml', linksJson: 'links' };

/** The encoded bodies, and a warning for each that was omitted. */
export interface BoundedBodies {
  readonly bytes: Uint8Array;
  readonly warnings: readonly string[];
}

/**
 * Encodes the bodies of a page. Omits the largest ones while all together exceed `maxBytes`.
 * @throws Error if the rest exceeds it too
 */
export function encodeBodies(bodies: PageBodies, maxBytes = MAX_BODIES_BYTES): BoundedBodies {
  const sizes = OMITTABLE.map((name) => ({ name, bytes: Buffer.byteLength(bodies[name] ?? '') }));
  const rest = [bodies.headJson, bodies.fieldsJson].reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), 0);
  let total = sizes.reduce((sum, { bytes }) => sum + bytes, rest + (bodies.blocks?.length ?? 0));
  const kept = { ...bodies };
  const warnings: string[] = [];
  for (const { name, bytes } of sizes.toSorted((a, b) => b.bytes - a.bytes)) {
    if (total <= maxBytes) break;
    kept[name] = undefined;
    total -= bytes;
    warnings.push(`too large: ${FORMATS[name]}`);
  }
  if (total > maxBytes) throw new Error(`the content of the page is larger than ${maxBytes} bytes`);
  return { bytes: PageBodies.encode(kept).finish(), warnings };
}
