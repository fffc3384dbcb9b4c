/** The dark colours. */
const DARK =
  '--bg: #0c1110; --card: #121918; --text: #e8efed; --muted: #9dacaa; --line: #6f7f7c; --rule: #26312f; --accent: #5eead4; --accent-strong: #99f6e4; --on-accent: #04211d; --bad: #fca5a0; --good: #4ade80;';

/** Style of the pages of accounts. Colours and shapes are those of the console. Contrast of text is at least 4.5:1 in both themes, of borders of fields 3:1. */
export const PAGES_CSS = `
:root { color-scheme: light; --bg: #f5f7f7; --card: #fff; --text: #131a1a; --muted: #52605e; --line: #7c8b89; --rule: #dde4e3; --accent: #0f766e; --accent-strong: #0b5c56; --on-accent: #fff; --bad: #b42318; --good: #15803d; }
:root[data-theme=dark] { color-scheme: dark; ${DARK} }
@media (prefers-color-scheme: dark) {
  :root:not([data-theme]) { color-scheme: dark; ${DARK} }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 24px 16px; background: var(--bg); color: var(--text); font: 15px/1.5 "Noto Sans", "Open Sans", ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { width: 100%; max-width: 400px; padding: 32px; background: var(--card); border: 1px solid var(--rule); border-radius: 8px; }
main[data-page=account] { max-width: 560px; align-self: start; }
.brand { margin: 0 0 4px; font-weight: 600; color: var(--accent); }
h1 { margin: 0 0 12px; font-size: 24px; line-height: 1.25; }
h2 { margin: 0 0 8px; font-size: 17px; line-height: 1.35; }
p { margin: 0 0 16px; overflow-wrap: anywhere; }
#intro, small { color: var(--muted); }
.field { margin: 0 0 16px; }
label { display: block; margin: 0 0 4px; font-weight: 600; font-size: 14px; }
input { width: 100%; padding: 10px 12px; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 6px; }
input[type=radio] { width: auto; }
fieldset { margin: 0 0 16px; padding: 0; border: 0; }
legend { margin: 0 0 8px; padding: 0; font-weight: 600; }
small { display: block; margin: 4px 0 0; font-size: 13px; line-height: 1.4; overflow-wrap: anywhere; }
button { width: 100%; padding: 11px 16px; font: inherit; font-weight: 600; color: var(--on-accent); background: var(--accent); border: 1px solid var(--accent); border-radius: 6px; cursor: pointer; }
button:hover { background: var(--accent-strong); border-color: var(--accent-strong); }
button[disabled] { opacity: .6; cursor: default; }
button.second { color: var(--accent); background: none; border-color: var(--line); }
button.second:hover { background: var(--bg); }
button.second + button.second { margin-top: 8px; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.or { display: flex; align-items: center; gap: 12px; margin: 16px 0; color: var(--muted); font-size: 14px; }
.or::before, .or::after { content: ""; flex: 1; border-top: 1px solid var(--rule); }
nav { display: flex; flex-wrap: wrap; gap: 8px 20px; margin-top: 20px; font-size: 14px; }
a { color: var(--accent); }
.message { padding: 10px 12px; border-left: 4px solid var(--good); background: var(--bg); }
.message.bad { border-color: var(--bad); }
section { margin: 24px 0 0; padding: 20px 0 0; border-top: 1px solid var(--rule); }
details { margin: 8px 0; }
summary { padding: 4px 0; color: var(--accent); cursor: pointer; }
details > form, details > div { margin: 8px 0 16px; }
.items { margin: 0 0 12px; padding: 0; list-style: none; }
.items li { padding: 10px 0; border-bottom: 1px solid var(--rule); overflow-wrap: anywhere; }
.items li > button { width: auto; margin-top: 8px; padding: 5px 12px; font-size: 14px; }
.codes { columns: 2; margin: 0 0 16px; padding: 12px; list-style: none; background: var(--bg); border-radius: 6px; font-family: ui-monospace, monospace; font-size: 12px; line-height: 1.9; }
img { display: block; width: 200px; height: 200px; margin: 0 auto 16px; background: #fff; padding: 8px; border-radius: 6px; }
code { overflow-wrap: anywhere; font-size: 14px; }
[hidden] { display: none !important; }
@media (max-width: 480px) { main { padding: 24px 20px; } .codes { columns: 1; } }
@media (prefers-reduced-motion: no-preference) { button { transition: background .15s; } }
`;
