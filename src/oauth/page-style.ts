/**
 * The one style sheet of every page, and its hash for the content security policy.
 *
 * System fonts, no foreign resource; light and dark by the reader's own setting. Text has a
 * contrast of at least 4.5 and edges of controls at least 3 on their background (WCAG 2.2 AA).
 */
import { createHash } from 'node:crypto';

export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --ground: #eef1f5; --sheet: #ffffff; --ink: #17202c; --soft: #55606f; --line: #dde2e9;
  --edge: #7d8896; --field: #ffffff; --accent: #1f5fbf; --accent-hover: #174c9c; --on-accent: #ffffff;
  --alarm: #8f1d1d; --alarm-ground: #fdeeee; --alarm-edge: #e2a4a4;
  --shadow: 0 1px 2px rgb(23 32 44 / .06), 0 12px 32px rgb(23 32 44 / .08);
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #10141a; --sheet: #191f27; --ink: #e8ecf1; --soft: #a5afbc; --line: #2b333e;
    --edge: #6d7988; --field: #12171d; --accent: #7db0ff; --accent-hover: #a3c7ff; --on-accent: #0c1a30;
    --alarm: #ffb4b0; --alarm-ground: #3a1d20; --alarm-edge: #7c3b3e;
    --shadow: 0 1px 2px rgb(0 0 0 / .4), 0 12px 32px rgb(0 0 0 / .35);
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; min-height: 100vh; min-height: 100svh; display: grid; place-items: center;
  padding: 1.5rem 1rem; background: var(--ground); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
main {
  width: 100%; max-width: 27rem; padding: 2.25rem 2.25rem 2rem; background: var(--sheet);
  border: 1px solid var(--line); border-radius: 1rem; box-shadow: var(--shadow);
  overflow-wrap: anywhere;
}
header { display: flex; align-items: center; gap: .7rem; margin-bottom: 1.6rem; }
.mark { flex: none; fill: none; stroke: var(--accent); stroke-width: 2; stroke-linecap: round; }
.product { margin: 0; color: var(--soft); font-size: .95rem; font-weight: 600; }
h1 { margin: 0 0 .4rem; font-size: 1.6rem; line-height: 1.25; letter-spacing: -.015em; text-wrap: balance; }
h2 { margin: 1.6rem 0 .4rem; font-size: 1.05rem; }
p { margin: .6rem 0; }
.lead { margin: 0 0 1.1rem; font-size: 1.05rem; }
dl { margin: 0 0 1.4rem; border: 1px solid var(--line); border-radius: .6rem; font-size: .92rem; }
dl div { display: flex; gap: .25rem 1rem; padding: .6rem .85rem; }
dl div + div { border-top: 1px solid var(--line); }
dt { flex: none; width: 6.4rem; color: var(--soft); }
dd { margin: 0; font-weight: 600; }
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
button {
  display: block; width: 100%; min-height: 3rem; margin: 1.5rem 0 0; padding: .6rem 1rem;
  color: var(--on-accent); background: var(--accent); font: inherit; font-weight: 600;
  border: 1px solid transparent; border-radius: .6rem; cursor: pointer;
}
button:hover { background: var(--accent-hover); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
input:focus-visible { outline-offset: 0; }
.note { margin: 1.3rem 0 0; color: var(--soft); font-size: .88rem; }
ol { margin: .4rem 0 0; padding-left: 1.4rem; }
li { margin: .45rem 0; padding-left: .2rem; }
code {
  display: inline-block; padding: .3rem .6rem; background: var(--ground); border: 1px solid var(--line);
  border-radius: .4rem; font: .92em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
  user-select: all;
}
@media (max-width: 30rem) {
  body { padding: 0; place-items: start stretch; background: var(--sheet); }
  main { max-width: none; padding: 1.5rem 1.25rem 2rem; border: 0; border-radius: 0; box-shadow: none; }
}
@media (forced-colors: active) { .mark { stroke: CanvasText; } }
`;

export const PAGE_STYLE_HASH = `sha256-${createHash('sha256').update(PAGE_STYLE).digest('base64')}`;
