import { type Random, randomOf } from './random.ts';

/** Enough words that no two paragraphs are equal. */
const WORDS =
  'tide harbour gauge record study current estuary channel marsh sensor mooring reading level season storm pressure sample report chart station depth salinity buoy drift anchor signal method average forecast observer'.split(
    ' ',
  );

function sentence(next: Random): string {
  const words = Array.from(
    { length: 9 + Math.floor(next() * 12) },
    () => WORDS[Math.floor(next() * WORDS.length)] ?? '',
  );
  const text = words.join(' ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

const paragraph = (next: Random): string =>
  `<p class="body-text" data-block="p">${Array.from({ length: 4 }, () => sentence(next)).join(' ')} <a href="/notes/${Math.floor(next() * 900)}">${sentence(next)}</a></p>`;

/** Builds a page of about 40 KB with head data, navigation, article, table, code, sidebar and footer. */
export function benchPage(seed = 1): string {
  const next = randomOf(seed);
  const nav = Array.from(
    { length: 60 },
    (_, i) => `<li class="nav-item"><a class="nav-link" href="/section-${i}/">${sentence(next).slice(0, 24)}</a></li>`,
  ).join('\n');
  const sections = Array.from(
    { length: 12 },
    (_, i) =>
      `<section id="s${i}"><h2>${sentence(next)}</h2>${Array.from({ length: 3 }, () => paragraph(next)).join('\n')}<ul>${Array.from({ length: 4 }, () => `<li>${sentence(next)}</li>`).join('')}</ul></section>`,
  ).join('\n');
  const rows = Array.from(
    { length: 25 },
    (_, i) => `<tr><td>Station ${i}</td><td>${(next() * 9).toFixed(2)} m</td><td>${sentence(next)}</td></tr>`,
  ).join('');
  const side = Array.from(
    { length: 20 },
    (_, i) => `<a class="related" href="/related/${i}">${sentence(next)}</a>`,
  ).join('\n');
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Tide readings of ${seed}</title>
<meta name="description" content="${sentence(next)}"><link rel="canonical" href="/readings/${seed}"><meta property="og:title" content="Tide readings">
<script type="application/ld+json">{"@context":"https://schema.org","@type":"Article","headline":"Tide readings"}</script>
<style>.nav-item{display:inline}</style></head><body><header><nav><ul>${nav}</ul></nav></header>
<main><article><h1>Tide readings of ${seed}</h1>${sections}<table><thead><tr><th>Station</th><th>Level</th><th>Note</th></tr></thead><tbody>${rows}</tbody></table>
<pre><code class="language-js">const level = await gauge.read();\nconsole.log(level);</code></pre></article></main>
<aside>${side}</aside><footer><p>${sentence(next)}</p></footer></body></html>`;
}
