import type { RuleCases } from '@tidemark/testkit/cases/rule-cases';

/** Fragments of a page and their markdown. */
export const MARKDOWN_CASES: readonly RuleCases<readonly [html: string, markdown: string]>[] = [
  {
    rule: 'a list keeps its nesting, its start and its paragraphs',
    source: 'CommonMark 5.2, 5.3',
    cases: [
      ['<ul><li>Sail<ol><li>jib</li><li>main</li></ol></li><li>Oar</li></ul>', '- Sail\n  1. jib\n  2. main\n- Oar'],
      ['<ol start="7"><li>seven</li><li>eight</li></ol>', '7. seven\n8. eight'],
      [
        '<ol><li><p>First part.</p><p>Second part.</p></li><li><p>Next.</p></li></ol>',
        '1. First part.\n\n   Second part.\n2. Next.',
      ],
      [
        '<ul><li><p>Quoted:</p><blockquote><p>Mind the tide.</p></blockquote></li></ul>',
        '- Quoted:\n\n  > Mind the tide.',
      ],
      [
        '<ol>\n <li>One\n  <ol>\n   <li>Inner </li>\n  </ol>\n </li>\n <li>Two </li>\n</ol>',
        '1. One\n   1. Inner\n2. Two',
      ],
      ['<ul><li><pre><code>a = 1\nb = 2</code></pre></li><li>x</li></ul>', '- ```\n  a = 1\n  b = 2\n  ```\n- x'],
      ['<ol><li value="3">three</li><li>four</li></ol>', '3. three\n4. four'],
      [
        '<ul><li><b>Bold</b> item</li><li><a href="/a">Linked</a></li></ul>',
        '- **Bold** item\n- [Linked](https://site.example/a)',
      ],
      [
        '<dl><dt>Ebb</dt><dd>Falling water.</dd><dt>Flood</dt><dd>Rising water.</dd></dl>',
        '**Ebb**\n\nFalling water.\n\n**Flood**\n\nRising water.',
      ],
      [
        '<ul><li><input type="checkbox" checked> done</li><li><input type="checkbox"> open</li></ul>',
        '- [x] done\n- [ ] open',
      ],
    ],
  },
  {
    rule: 'a table has a head, cells and their alignment',
    source: 'GFM 4.10',
    cases: [
      [
        '<table><thead><tr><th>Port</th><th align="right">Depth</th></tr></thead><tbody><tr><td>Cork</td><td align="right">11</td></tr></tbody></table>',
        '| Port | Depth |\n| --- | ---: |\n| Cork | 11 |',
      ],
      [
        '<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>',
        '| A | B |\n| --- | --- |\n| 1 | 2 |',
      ],
      [
        '<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>',
        '| a | b |\n| --- | --- |\n| c | d |',
      ],
      [
        '<table><tr><th>A</th><th>B</th></tr><tr><td rowspan="2">tall</td><td>1</td></tr><tr><td>2</td></tr></table>',
        '| A | B |\n| --- | --- |\n| tall | 1 |\n|  | 2 |',
      ],
      [
        '<table><tr><th>A</th><th>B</th></tr><tr><td colspan="2">wide</td></tr></table>',
        '| A | B |\n| --- | --- |\n| wide |  |',
      ],
      [
        '<table><tr><th>A</th><th>B</th></tr><tr><td>x | y</td><td>1<br>2</td></tr></table>',
        '| A | B |\n| --- | --- |\n| x \\| y | 1 2 |',
      ],
      [
        '<table><tr><th>A</th><th>B</th></tr><tr><td><b>bold</b></td><td><a href="https://a.example/x">link</a></td></tr></table>',
        '| A | B |\n| --- | --- |\n| **bold** | [link](https://a.example/x) |',
      ],
      [
        '<ul><li><p>In a list</p><table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table></li></ul>',
        '- In a list\n\n  | A | B |\n  | --- | --- |\n  | 1 | 2 |',
      ],
      [
        '<table role="presentation"><tr><td><p>First paragraph of a page that is laid out by a table and has words enough.</p><p>Second paragraph of the same page.</p></td></tr></table>',
        'First paragraph of a page that is laid out by a table and has words enough.\n\nSecond paragraph of the same page.',
      ],
      [
        '<table><caption>Depths</caption><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>',
        'Depths\n\n| A | B |\n| --- | --- |\n| 1 | 2 |',
      ],
    ],
  },
  {
    rule: 'code is kept to the character',
    source: 'CommonMark 4.5, 6.1',
    cases: [
      ['<pre><code class="language-ruby">puts 1</code></pre>', '```ruby\nputs 1\n```'],
      [
        '<pre data-lang="python"><code>import os\nprint(os.name)</code></pre>',
        '```python\nimport os\nprint(os.name)\n```',
      ],
      ['<pre>plain\n  text</pre>', '```\nplain\n  text\n```'],
      ['<pre><code>a &lt; b &amp;&amp; c &gt; d</code></pre>', '```\na < b && c > d\n```'],
      [
        '<pre><code><span class="k">let</span> <span class="n">x</span> = 1;\n  y();</code></pre>',
        '```\nlet x = 1;\n  y();\n```',
      ],
      ['<pre><code>```\nfence\n```</code></pre>', '````\n```\nfence\n```\n````'],
      ['<p>Use <code>a | b</code> here.</p>', 'Use `a | b` here.'],
      ['<p>A <code>back`tick</code> here.</p>', 'A `` back`tick `` here.'],
      ['<p>Tags <code>&lt;p&gt;</code> here.</p>', 'Tags `<p>` here.'],
      ['<p>Press <kbd>Ctrl</kbd> and <samp>out</samp> and <var>n</var>.</p>', 'Press `Ctrl` and `out` and n.'],
      ['<pre><code>src/\n└── a.ts</code></pre>', '```\nsrc/\n└── a.ts\n```'],
    ],
  },
  {
    rule: 'a link and an image have absolute URLs',
    source: 'CommonMark 6.3, 6.4; RFC 3986 5',
    cases: [
      [
        '<p>See <a href="../guide/start.html?x=1#top">the guide</a>.</p>',
        'See [the guide](https://site.example/guide/start.html?x=1#top).',
      ],
      ['<p>A <a href="https://a.example/a b.pdf">file</a>.</p>', 'A [file](https://a.example/a%20b.pdf).'],
      ['<p>A <a href="https://a.example/q?(x)=1">query</a>.</p>', 'A [query](https://a.example/q?%28x%29=1).'],
      ['<p><a href="https://a.example/">one [two] three</a> ends.</p>', '[one [two] three](https://a.example/) ends.'],
      ['<p>Do not <a href="javascript:alert(1)">click here</a> ever.</p>', 'Do not click here ever.'],
      ['<p>Mail <a href="mailto:a@a.example">the office</a>.</p>', 'Mail [the office](mailto:a@a.example).'],
      ['<p>An <a href="">empty</a> one.</p>', 'An empty one.'],
      ['<p>An <a name="x">anchor</a> only.</p>', 'An anchor only.'],
      [
        '<p><a href="https://a.example/full"><img src="https://a.example/t.jpg" alt="thumb"></a></p>',
        '[![thumb](https://a.example/t.jpg)](https://a.example/full)',
      ],
      ['<p><img src="https://a.example/a.png" alt="two\nlines"></p>', '![two lines](https://a.example/a.png)'],
      [
        '<p><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" data-src="https://a.example/real.jpg" alt="A chart"></p>',
        '![A chart](https://a.example/real.jpg)',
      ],
      [
        '<figure><img src="https://a.example/f.png" alt="Chart"><figcaption>Figure 1. Depths.</figcaption></figure>',
        '![Chart](https://a.example/f.png)\n\nFigure 1. Depths.',
      ],
      ['<p><a href="/a" title="T">titled</a></p>', '[titled](https://site.example/a)'],
      ['<p><a href="/a"><b>bold link</b></a></p>', '[**bold link**](https://site.example/a)'],
      ['<p><a href="/a"> spaced </a>after</p>', '[spaced](https://site.example/a) after'],
    ],
  },
  {
    rule: 'emphasis is written where a reader of markdown finds it',
    source: 'CommonMark 6.2',
    cases: [
      ['<p><b>bold</b> and <i>italic</i> and <s>gone</s>.</p>', '**bold** and _italic_ and ~~gone~~.'],
      ['<p><strong>My <strong>bold</strong> text</strong> stays.</p>', '**My bold text** stays.'],
      ['<p>Hello <strong></strong>there <em> </em>sailor.</p>', 'Hello there sailor.'],
      ['<p>Un<b>sink</b>able.</p>', 'Un**sink**able.'],
      ['<p><strong>&nbsp;Label:&nbsp;</strong>Value</p>', '**Label:** Value'],
      ['<p><b>bold </b>next</p>', '**bold** next'],
      ['<p><b><i>both</i></b></p>', '**_both_**'],
      ['<p>2 * 3 * 4 and a_b_c and # 1 and [x] and `y`</p>', '2 * 3 * 4 and a_b_c and # 1 and [x] and \\`y\\`'],
      ['<p>1. not a list</p>', '1\\. not a list'],
      ['<p>- not a list</p>', '\\- not a list'],
      ['<p># no heading</p>', '\\# no heading'],
      ['<p>&gt; no quote</p>', '\\> no quote'],
      ['<p>&lt;b&gt; is a tag</p>', '\\<b> is a tag'],
      ['<p>a<br>b</p>', 'a  \nb'],
      ['<p>H<sub>2</sub>O and x<sup>2</sup></p>', 'H<sub>2</sub>O and x<sup>2</sup>'],
      ['<p><mark>marked</mark> and <u>under</u> and <q>quoted</q></p>', 'marked and under and "quoted"'],
    ],
  },
  {
    rule: 'text is read as a browser shows it',
    source: 'CSS Text 4.1; HTML 13.2.5',
    cases: [
      ['<p>One\n   two\n\t\tthree   four.</p>', 'One two three four.'],
      ['<p>Smile &#128512; and &#x27;quote&#x27; and &#8364;.</p>', "Smile 😀 and 'quote' and €."],
      ['<p>Seen<!-- not seen --> text.</p><script>var hidden = 1;</script><style>a{}</style>', 'Seen text.'],
      ['<p>Visible.</p><p hidden>Hidden.</p>', 'Visible.'],
      ['<p>Above.</p><hr><p>Below.</p>', 'Above.\n\n---\n\nBelow.'],
      ['<div>First line of text</div><div>Second line of text</div>', 'First line of text\n\nSecond line of text'],
      [
        '<h2 id="a">Install<a class="headerlink" href="#a" title="Permalink">¶</a></h2><p>Run it.</p>',
        '## Install\n\nRun it.',
      ],
      ['<h3>A <code>b</code> c</h3><p>x</p>', '### A `b` c\n\nx'],
      ['<blockquote><h3>Quoted</h3><ul><li>one</li></ul></blockquote>', '> ### Quoted\n>\n> - one'],
      ['<blockquote><p>a</p><blockquote><p>b</p></blockquote></blockquote>', '> a\n>\n> > b'],
      [
        '<div class="alert alert-warning" role="alert"><p class="alert-heading">Warning</p><p>Back up first.</p></div>',
        '> [!WARNING]\n> Back up first.',
      ],
      [
        '<p>The value \\(x_1 + x_2\\) and $$y = \\alpha$$ too.</p>',
        'The value \\(x_1 + x_2\\) and $$y = \\alpha$$ too.',
      ],
      ['<math><mi>x</mi><mo>=</mo><mn>1</mn></math>', '$x = 1$'],
      [
        '<p>Water freezes.<sup id="r1"><a href="#n1">[1]</a></sup></p><ol><li id="n1">A note.</li></ol>',
        'Water freezes.[^1]\n\n[^1]: A note.',
      ],
      ['<details><summary>More</summary><p>Inside.</p></details>', 'More\n\nInside.'],
      ['<p>a</p>\n\n\n<p>b</p>', 'a\n\nb'],
    ],
  },
];
