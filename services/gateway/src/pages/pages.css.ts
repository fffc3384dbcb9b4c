/** Style of the pages of accounts. Contrast of text is at least 4.5:1 in both themes. */
export const PAGES_CSS = `
:root { color-scheme: light dark; --bg: #f3f5f6; --card: #fff; --text: #1d2529; --muted: #56636b; --line: #8a979f; --accent: #1f5f7f; --on-accent: #fff; --bad: #a3211a; --good: #1e6b2b; }
@media (prefers-color-scheme: dark) {
  :root { --bg: #12181b; --card: #1b2327; --text: #e6ecef; --muted: #a3b1b9; --line: #67757d; --accent: #7cc0e2; --on-accent: #0d1a21; --bad: #ff9a92; --good: #8fd69b; }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 24px 16px; background: var(--bg); color: var(--text); font: 16px/1.5 -apple-system, "Segoe UI", Roboto, Helvetica, Arial, sans-serif; }
main { width: 100%; max-width: 400px; padding: 32px; background: var(--card); border-radius: 8px; border-top: 4px solid var(--accent); }
.brand { margin: 0 0 4px; font-weight: 600; color: var(--accent); }
h1 { margin: 0 0 8px; font-size: 24px; line-height: 1.25; }
p { margin: 0 0 16px; overflow-wrap: anywhere; }
#intro, small { color: var(--muted); }
.field { margin: 0 0 16px; }
label { display: block; margin: 0 0 4px; font-weight: 600; font-size: 14px; }
input { width: 100%; padding: 10px 12px; font: inherit; color: inherit; background: var(--bg); border: 1px solid var(--line); border-radius: 4px; }
small { display: block; margin-top: 4px; font-size: 13px; }
button { width: 100%; padding: 11px 16px; font: inherit; font-weight: 600; color: var(--on-accent); background: var(--accent); border: 0; border-radius: 4px; cursor: pointer; }
button[disabled] { opacity: .6; cursor: default; }
button.second { margin-top: 8px; color: var(--accent); background: none; border: 1px solid var(--line); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
nav { display: flex; flex-wrap: wrap; gap: 8px 20px; margin-top: 20px; font-size: 14px; }
a { color: var(--accent); }
.message { padding: 10px 12px; border-left: 4px solid var(--good); background: var(--bg); }
.message.bad { border-color: var(--bad); }
img { display: block; width: 200px; height: 200px; margin: 0 auto 16px; background: #fff; padding: 8px; border-radius: 4px; }
code { overflow-wrap: anywhere; font-size: 14px; }
ul { columns: 1; margin: 0 0 16px; padding-left: 20px; font-family: ui-monospace, monospace; font-size: 13px; }
[hidden] { display: none; }
`;
