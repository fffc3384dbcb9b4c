import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCases, textIn } from './content-corpora.ts';
import { comparePair, readingOf, unpacked } from './eval-changes-readings.ts';
import { recordBetween } from './eval-changes-record.ts';
for (const set of ['ota-demo', 'ota-dating'])
  await unpacked(`${set}/html.tar.xz`, async (folder) => {
    for (const e of readCases(`changes/${set}/pairs.json`)) {
      if (textIn(e, 'kind') === 'change' && !/Tinder\/Terms|UptimeRobot\/Privacy/.test(textIn(e,'path'))) continue;
      const url = textIn(e, 'url') || 'https://example.com/terms';
      const [a, b] = ['a', 'b'].map((s) => readingOf({ html: readFileSync(join(folder, textIn(e, s)), 'utf8'), url }));
      if (!a || !b) continue;
      const { head, entries } = await recordBetween(new Map([[url, a]]), new Map([[url, b]]));
      const o = comparePair(a, b);
      if (textIn(e,'kind')==='change' ? head.counts.modified===1 : head.counts.modified===0 && o.delta.fields.length===0 && head.counts.same===1) continue;
      console.log('##', textIn(e,'kind'), textIn(e, 'path'), textIn(e, 'a_date'), textIn(e, 'b_date'), textIn(e,'a').slice(-40), textIn(e,'b').slice(-40), JSON.stringify(head.counts), entries.map(x=>x.reason));
      for (const f of o.delta.fields) console.log('   F', f.name, '|', f.from?.slice(0,150), '|', f.to?.slice(0,150));
      for (const c of o.delta.blocks.slice(0, 4)) console.log('   ', c.op, c.after?.landmark ?? c.before?.landmark, c.words.filter(([x]) => x !== '=').map(([x, t]) => x + t.slice(0, 60)).join(' '));
    }
  });
