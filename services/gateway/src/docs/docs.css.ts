import { html } from './html.ts';

/** The only style sheet of the page. It has no interpolated values, so that its hash in the security policy is constant. */
export const STYLE = html`
:root{--paper:#fff;--raised:#f6f9fa;--ink:#10222c;--soft:#566a75;--line:#e1e8ec;--tide:#0b7285;--tide-soft:#e3f3f5;--good:#1b7f4d;--warn:#a65d00;--bad:#b9313c;--get:#0b7285;--post:#1b7f4d;--patch:#a65d00;--del:#b9313c;--code:#0d1d27;--code-line:#1d3340;--code-ink:#d3e2ea;--code-soft:#88a2b0;--sans:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace;--bar:3.5rem}
@media (prefers-color-scheme:dark){:root{--paper:#0a141a;--raised:#101e26;--ink:#e3edf2;--soft:#94a9b4;--line:#1d2f39;--tide:#4fc3d5;--tide-soft:#0f2c34;--good:#5cc98f;--warn:#e0a558;--bad:#f0838b;--get:#4fc3d5;--post:#5cc98f;--patch:#e0a558;--del:#f0838b;--code:#0e1c24;--code-line:#1d2f39}}
*{box-sizing:border-box}
html{scroll-padding-top:calc(var(--bar) + 1rem);-webkit-text-size-adjust:100%}
@media (prefers-reduced-motion:no-preference){html{scroll-behavior:smooth}}
body{margin:0;background:var(--paper);color:var(--ink);font:400 1rem/1.6 var(--sans);-webkit-font-smoothing:antialiased}
a{color:var(--tide);text-decoration:none}a:hover{text-decoration:underline}
:focus-visible{outline:2px solid var(--tide);outline-offset:2px;border-radius:4px}
code,pre{font-family:var(--mono);font-size:.86em}
p{margin:0 0 .85rem}
.skip{position:absolute;left:-999px;top:.5rem;z-index:9;background:var(--tide);color:var(--paper);padding:.4rem .8rem;border-radius:6px}.skip:focus{left:.5rem}
.bar{position:sticky;top:0;z-index:5;display:flex;align-items:center;gap:.75rem;height:var(--bar);padding:0 1.25rem;background:var(--paper);border-bottom:1px solid var(--line)}
.brand{display:flex;align-items:center;gap:.6rem;font-weight:650;font-size:1.05rem;letter-spacing:-.01em;color:var(--ink)}.brand:hover{text-decoration:none}
.brand svg{width:1.75rem;height:1.75rem;fill:var(--tide)}.brand path{fill:none;stroke:var(--paper);stroke-width:2.6;stroke-linecap:round}
.edition{font-size:.78rem;color:var(--soft);border:1px solid var(--line);border-radius:99px;padding:.1rem .6rem;white-space:nowrap}
.shortcuts{margin-left:auto;display:flex;gap:1.1rem;font-size:.9rem}
h1,h2,h3,h4{line-height:1.25;letter-spacing:-.015em;margin:0}
h2 a,h3 a{color:inherit}
.hero{padding:2.75rem 0 2.25rem}
.hero h1{font-size:clamp(1.9rem,1.5rem + 2vw,2.6rem);font-weight:700;margin-bottom:.7rem}
.lead{font-size:1.13rem;color:var(--soft);max-width:44rem;margin-bottom:1.25rem}
.base{display:inline-flex;max-width:100%;align-items:baseline;gap:.75rem;margin:0;padding:.5rem .9rem;background:var(--raised);border:1px solid var(--line);border-radius:8px}
.base span{font-size:.78rem;color:var(--soft);white-space:nowrap}.base code{overflow-wrap:anywhere}
.route{padding:2.25rem 0;border-top:1px solid var(--line)}
.chapter h2,.tag>h2{font-size:1.5rem;font-weight:680;margin-bottom:1rem}
.tag>h2{padding:2.75rem 0 1.25rem;margin:0;border-top:1px solid var(--line);font-size:1.75rem}
.tag>h2+.route{border-top:0;padding-top:0}
.route h3{font-size:1.16rem;font-weight:640;margin-bottom:.6rem}
.route h4{font-size:.78rem;font-weight:650;letter-spacing:.05em;text-transform:uppercase;color:var(--soft);margin:1.6rem 0 .1rem}
.about,.example{min-width:0}
.about :not(pre)>code{background:var(--raised);border:1px solid var(--line);border-radius:5px;padding:.06em .34em;white-space:nowrap}
.about code.address,.fields p code,.about .line .path,.about .field .name{white-space:normal;overflow-wrap:anywhere}
.line{display:flex;flex-wrap:wrap;align-items:center;gap:.55rem}
.about .line .path{background:none;border:0;padding:0;font-size:.95rem}.path em{font-style:normal;color:var(--tide)}
.method{display:inline-block;min-width:3.1rem;padding:.12rem .4rem;border-radius:5px;font:700 .68rem/1.5 var(--mono);letter-spacing:.03em;text-align:center;color:var(--tone);background:color-mix(in srgb,var(--tone) 13%,transparent)}
.get{--tone:var(--get)}.post{--tone:var(--post)}.patch,.put{--tone:var(--patch)}.delete{--tone:var(--del)}
.scope{font-size:.75rem;border:1px solid var(--line);border-radius:99px;padding:.08rem .6rem;color:var(--soft);white-space:nowrap}
.scope.write{color:var(--good)}.scope.admin{color:var(--warn)}.scope.read{color:var(--tide)}
.steps{list-style:none;counter-reset:step;margin:0 0 1rem;padding:0}
.steps li{counter-increment:step;position:relative;padding-left:2.4rem}
.steps li::before{content:counter(step);position:absolute;left:0;top:.05rem;width:1.55rem;height:1.55rem;border-radius:50%;background:var(--tide-soft);color:var(--tide);font:650 .8rem/1.55rem var(--sans);text-align:center}
table{width:100%;border-collapse:collapse;margin:.4rem 0 1.1rem;font-size:.92rem}
th{font-size:.78rem;font-weight:600;color:var(--soft);text-align:left}
th,td{padding:.55rem .9rem .55rem 0;border-bottom:1px solid var(--line);vertical-align:top}th:last-child,td:last-child{padding-right:0}
.errors td:nth-child(2){font-variant-numeric:tabular-nums;color:var(--soft)}
tr:target td{background:var(--tide-soft)}
.fields{list-style:none;margin:0;padding:0}
.fields>li{padding:.8rem 0;border-bottom:1px solid var(--line)}.fields>li:last-child{border-bottom:0}
.fields .fields{margin:.5rem 0 0;padding-left:1rem;border-left:2px solid var(--line)}
.fields p{margin:.3rem 0 0;font-size:.92rem;color:var(--soft)}
.field{display:flex;flex-wrap:wrap;align-items:baseline;gap:.2rem .6rem}
.about .field .name{background:none;border:0;padding:0;font-size:.9rem;font-weight:650;color:var(--ink)}
.type,.where{font-size:.8rem;color:var(--soft)}.where::before{content:"in "}
.optional{font-size:.75rem;color:var(--soft);font-style:italic}
.required{font-size:.75rem;font-weight:600;color:var(--bad)}
.fields .limits{display:flex;flex-wrap:wrap;gap:.3rem 1.1rem;font-size:.82rem}
.fields .choices{display:flex;flex-wrap:wrap;gap:.35rem;font-size:.9rem}
.answer-fields{margin-top:1.4rem;border:1px solid var(--line);border-radius:8px}.answer-fields+.answer-fields,.answer-line+.answer-fields{margin-top:.6rem}
.answer-fields summary{cursor:pointer;padding:.55rem .9rem;font-size:.88rem;color:var(--soft)}.answer-fields[open] summary{border-bottom:1px solid var(--line)}
.answer-fields>.fields{padding:0 .9rem}
.answer-line{margin-top:1.4rem;font-size:.88rem;color:var(--soft)}
.status{font:650 .78rem var(--mono);color:var(--good);margin-right:.6rem}.status.bad{color:var(--bad)}
.example{margin-top:1.5rem;display:flex;flex-direction:column;gap:1rem}
.code{margin:0;background:var(--code);color:var(--code-ink);border:1px solid var(--code-line);border-radius:10px;overflow:hidden}
.code figcaption{display:flex;align-items:baseline;gap:.7rem;padding:.5rem 1rem;border-bottom:1px solid var(--code-line);font-size:.78rem;color:var(--code-soft)}
.code .status{margin:0;color:#6fdba4}.code .status.bad{color:#ff9aa2}
.code pre{margin:0;padding:.9rem 1rem;overflow:auto;max-height:30rem;font-size:.8rem;line-height:1.65;tab-size:2}
.code code{font-size:inherit}
.code pre:focus-visible{outline-offset:-2px}
.command figcaption::after{content:"click selects";margin-left:auto;opacity:.75}
.command code{-webkit-user-select:all;user-select:all}
.code b{font-weight:400;color:#7fd3e6}.code i{font-style:normal;color:#b9e2a0}.code u{text-decoration:none;color:#f3c384}
.command b{color:#6fdba4}
.contents{padding:2rem 1.25rem 4rem;border-top:1px solid var(--line);background:var(--raised);font-size:.9rem}
.contents p{margin:1.35rem 0 .35rem;font-size:.76rem;font-weight:650;letter-spacing:.05em;text-transform:uppercase;color:var(--soft)}.contents p:first-child{margin-top:0}.contents p a{color:inherit}
.contents ul{list-style:none;margin:0;padding:0}
.contents li a{display:flex;align-items:center;gap:.55rem;padding:.28rem .5rem;margin:0 -.5rem;border-radius:6px;color:var(--ink);overflow:hidden}.contents li a:hover{background:var(--tide-soft);text-decoration:none}
.contents .method{flex:none;min-width:3.1rem;padding:.12rem .2rem;font-size:.6rem}.contents code{white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
main{padding:0 1.25rem}
footer{border-top:1px solid var(--line);padding:1.5rem 0 3rem;font-size:.85rem;color:var(--soft)}
@media (min-width:64rem){
.to-contents{display:none}
.layout{display:grid;grid-template-columns:16rem minmax(0,1fr)}
.contents{grid-column:1;grid-row:1;position:sticky;top:var(--bar);height:calc(100vh - var(--bar));overflow-y:auto;border-top:0;border-right:1px solid var(--line);background:none;padding:1.75rem 1.25rem 3rem}
main{grid-column:2;grid-row:1;padding:0 2.5rem;max-width:84rem}
.route{display:grid;grid-template-columns:minmax(0,1.15fr) minmax(0,1fr);gap:2.5rem}
.example{margin-top:0;position:sticky;top:calc(var(--bar) + 1rem);align-self:start}
.code pre{font-size:.78rem}
}
@media (max-width:40rem){
.errors thead{display:none}
.errors tr{display:grid;grid-template-columns:1fr auto;border-bottom:1px solid var(--line)}.errors td{border:0;padding:.6rem 0 0}.errors td:last-child{grid-column:1/-1;padding:.25rem 0 .7rem}
.shortcuts{gap:.9rem}
}
@media print{.bar,.contents,.skip{display:none}.code pre{max-height:none}}
`;
