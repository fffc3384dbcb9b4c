const { imul } = Math;

/** Returns a 53-bit hash above 0: cyrb53 by bryc (public domain), two 32-bit multiplicative hashes that are mixed at the end. */
export function fingerprint(text: string): number {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    a = imul(a ^ code, 2_654_435_761);
    b = imul(b ^ code, 1_597_334_677);
  }
  a = imul(a ^ (a >>> 16), 2_246_822_507) ^ imul(b ^ (b >>> 13), 3_266_489_909);
  b = imul(b ^ (b >>> 16), 2_246_822_507) ^ imul(a ^ (a >>> 13), 3_266_489_909);
  return 4_294_967_296 * (2_097_151 & b) + (a >>> 0) || 1;
}
