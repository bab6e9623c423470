/**
 * The one style sheet of every page. A page chooses its layout by the class of its body:
 * `card` for a question or a problem, `sheet` for a text, `board` for tables.
 *
 * System fonts, no foreign resource; light and dark by the reader's own setting; one accent.
 * Text has a contrast of at least 4.5 and edges of controls at least 3 on their background
 * (WCAG 2.2 AA). Nothing is wider than a phone: what cannot wrap scrolls in a separate box.
 */
const TOKENS = `
:root {
  color-scheme: light dark;
  --ground: #eef1f5; --sheet: #ffffff; --well: #f5f7fa; --ink: #17202c; --soft: #55606f;
  --line: #dde2e9; --edge: #7d8896; --field: #ffffff;
  --accent: #1f5fbf; --accent-hover: #174c9c; --on-accent: #ffffff;
  --good: #1c6b3c; --alarm: #8f1d1d; --alarm-ground: #fdeeee; --alarm-edge: #e2a4a4;
  --shadow: 0 1px 2px rgb(23 32 44 / .06), 0 12px 32px rgb(23 32 44 / .08);
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #10141a; --sheet: #191f27; --well: #12171d; --ink: #e8ecf1; --soft: #a5afbc;
    --line: #2b333e; --edge: #6d7988; --field: #12171d;
    --accent: #7db0ff; --accent-hover: #a3c7ff; --on-accent: #0c1a30;
    --good: #7fd6a0; --alarm: #ffb4b0; --alarm-ground: #3a1d20; --alarm-edge: #7c3b3e;
    --shadow: 0 1px 2px rgb(0 0 0 / .4), 0 12px 32px rgb(0 0 0 / .35);
  }
}
`;

const FRAME = `
*, *::before, *::after { box-sizing: border-box; }
[hidden] { display: none !important; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; min-height: 100vh; min-height: 100svh; padding: 1.5rem 1rem;
  background: var(--ground); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
main { width: 100%; margin: 0 auto; overflow-wrap: anywhere; }
.card main, .sheet main {
  padding: 2.25rem; background: var(--sheet);
  border: 1px solid var(--line); border-radius: 1rem; box-shadow: var(--shadow);
}
.card { display: grid; place-items: center; }
.card main { max-width: 27rem; padding-bottom: 2rem; }
.sheet { padding: 3.5rem 1rem; }
.sheet main { max-width: 44rem; }
.board { padding: 2.5rem 1.5rem 4rem; }
.board main { max-width: 72rem; }
header { display: flex; align-items: center; gap: .7rem; margin-bottom: 1.6rem; }
.mark { flex: none; fill: none; stroke: var(--accent); stroke-width: 2; stroke-linecap: round; }
.product { margin: 0; color: var(--soft); font-size: .95rem; font-weight: 600; }
@media (max-width: 30rem) {
  .card, .sheet { padding: 0; place-items: start stretch; background: var(--sheet); }
  .card main, .sheet main {
    max-width: none; padding: 1.5rem 1.25rem 2rem; border: 0; border-radius: 0; box-shadow: none;
  }
  .board { padding: 1.5rem 1rem 3rem; }
}
@media (forced-colors: active) { .mark { stroke: CanvasText; } }
`;

const TEXT = `
h1 { margin: 0 0 .6rem; font-size: 1.6rem; line-height: 1.25; letter-spacing: -.015em; text-wrap: balance; }
h2 { margin: 1.6rem 0 .4rem; font-size: 1.05rem; line-height: 1.4; }
h3 { margin: 0; font-size: 1rem; line-height: 1.4; }
p { margin: .6rem 0; }
.lead { margin: 0 0 1.1rem; font-size: 1.05rem; }
.note { margin: 1.3rem 0 0; color: var(--soft); font-size: .88rem; }
ol { margin: .4rem 0 0; padding-left: 1.4rem; }
li { margin: .45rem 0; padding-left: .2rem; }
a { color: var(--accent); }
code { font: .92em/1.55 var(--mono); }
.address {
  display: inline-block; padding: .3rem .6rem; background: var(--well);
  border: 1px solid var(--line); border-radius: .4rem; user-select: all;
}
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.unseen {
  position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden;
  clip-path: inset(50%); white-space: nowrap;
}
`;

const FORM = `
.facts { margin: 0 0 1.4rem; border: 1px solid var(--line); border-radius: .6rem; font-size: .92rem; }
.facts div { display: flex; gap: .25rem 1rem; padding: .6rem .85rem; }
.facts div + div { border-top: 1px solid var(--line); }
.facts dt { flex: none; width: 6.4rem; color: var(--soft); }
.facts dd { margin: 0; font-weight: 600; }
.complaint {
  margin: 0 0 1.2rem; padding: .75rem .9rem; color: var(--alarm); background: var(--alarm-ground);
  border: 1px solid var(--alarm-edge); border-radius: .6rem;
}
label { display: block; margin: 0 0 .35rem; font-weight: 600; font-size: .95rem; }
input {
  display: block; width: 100%; min-height: 2.9rem; margin: 0 0 1.1rem; padding: .55rem .8rem;
  color: inherit; background: var(--field); font: inherit;
  border: 1px solid var(--edge); border-radius: .6rem;
}
input[aria-invalid] { border-color: var(--alarm); }
input:focus-visible { outline-offset: 0; }
button { color: inherit; background: none; border: 0; padding: 0; font: inherit; font-weight: 600; cursor: pointer; }
.primary {
  display: block; width: 100%; min-height: 3rem; margin: 1.5rem 0 0; padding: .6rem 1rem;
  color: var(--on-accent); background: var(--accent); border: 1px solid transparent; border-radius: .6rem;
}
.primary:hover { background: var(--accent-hover); }
`;

const CONNECT = `
.health { display: flex; align-items: center; gap: .55rem; margin: 0 0 1.5rem; color: var(--good); font-weight: 600; font-size: .95rem; }
.health::before { content: ""; flex: none; width: .6rem; height: .6rem; border-radius: 50%; background: currentColor; }
.health.bad { color: var(--alarm); }
.health.bad::before { border-radius: .1rem; }
.health span { color: var(--soft); font-weight: 400; }
.snippet { margin: .75rem 0 0; background: var(--well); border: 1px solid var(--line); border-radius: .6rem; }
.snippet div {
  display: flex; align-items: center; justify-content: space-between; gap: 1rem;
  min-height: 2.6rem; padding: .2rem .3rem .2rem .85rem; border-bottom: 1px solid var(--line);
}
.snippet p { margin: 0; color: var(--soft); font-size: .88rem; }
.snippet pre { margin: 0; padding: .7rem .85rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.snippet code { user-select: all; }
.copy { flex: none; min-width: 4.6rem; min-height: 2.1rem; color: var(--accent); font-size: .88rem; border-radius: .4rem; }
.copy:hover { background: var(--line); color: var(--ink); }
details { border-top: 1px solid var(--line); }
details:last-of-type { border-bottom: 1px solid var(--line); }
.ways { margin-top: 1rem; }
summary {
  display: flex; align-items: center; gap: .75rem; min-height: 3.25rem; padding: .5rem 0;
  cursor: pointer; list-style: none;
}
summary::-webkit-details-marker { display: none; }
summary span { flex: 1; color: var(--soft); font-size: .88rem; text-align: right; }
summary::after {
  content: ""; flex: none; width: .5rem; height: .5rem; margin: -.25rem .15rem 0 0;
  border: solid var(--soft); border-width: 0 2px 2px 0; transform: rotate(45deg);
}
[open] > summary::after { margin-top: .25rem; transform: rotate(225deg); }
.way { padding: 0 0 1.5rem; }
.way p:first-child { margin-top: 0; }
.way > p:not(:first-child) { margin-top: 1.25rem; }
`;

const TABLES = `
.figures { display: flex; flex-wrap: wrap; gap: 1rem 2.5rem; margin: 1.25rem 0 0; }
.figures dt { color: var(--soft); font-size: .92rem; }
.figures dd { margin: 0; font-size: 1.6rem; line-height: 1.3; font-weight: 600; font-variant-numeric: tabular-nums; }
.soft { color: var(--soft); font-size: .92rem; }
.board section { margin-top: 2.5rem; }
.board h2 { margin: 0 0 .6rem; font-size: 1.15rem; }
.chart { margin: 0; padding: 0 1.5rem 0 3.75rem; }
.chart figcaption, .chart p { margin-left: -3.75rem; color: var(--soft); font-size: .92rem; }
.chart p { margin-top: 2rem; margin-bottom: 0; text-align: center; margin-right: -1.5rem; }
.chart svg { display: block; width: 100%; height: 11rem; margin-top: .9rem; overflow: visible; }
.chart line { stroke: var(--line); }
.chart line:first-child, .chart .tick { stroke: var(--edge); }
.chart text { fill: var(--soft); font-size: .8rem; text-anchor: middle; font-variant-numeric: tabular-nums; }
.chart .value { text-anchor: end; }
.chart rect { fill: var(--accent); }
.chart rect.refused { fill: var(--alarm); }
.key::before { content: ""; display: inline-block; width: .7rem; height: .7rem; margin: 0 .35rem 0 .6rem; border-radius: .15rem; background: var(--accent); }
.key.refused::before { background: var(--alarm); }
.table { max-height: 32rem; overflow: auto; background: var(--sheet); border: 1px solid var(--line); border-radius: .6rem; }
.table:focus-visible { outline-offset: 0; }
table { width: 100%; border-collapse: separate; border-spacing: 0; font-size: .92rem; }
th, td { padding: .45rem .85rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
tbody tr:last-child td { border-bottom: 0; }
th { position: sticky; top: 0; background: var(--well); color: var(--soft); white-space: nowrap; }
th button { min-height: 1.75rem; }
th button:hover, th[aria-sort] button { color: var(--ink); }
th[aria-sort=ascending] button::after { content: " \\2191"; }
th[aria-sort=descending] button::after { content: " \\2193"; }
td { min-width: 8rem; max-width: 26rem; }
td:first-child { min-width: 11rem; }
.n, .when { min-width: 0; white-space: nowrap; font-variant-numeric: tabular-nums; }
.n { text-align: right; }
td.wide { min-width: 20rem; }
.hint { display: none; margin: .4rem 0 0; }
@media (max-width: 45rem) {
  td:last-child { min-width: 20rem; }
  .hint { display: block; }
}
@media (max-width: 30rem) { .figures { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; align-items: end; } }
`;

export const STYLE = [TOKENS, FRAME, TEXT, FORM, CONNECT, TABLES].join('');
