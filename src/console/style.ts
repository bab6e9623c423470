/** What the pages of the console have beyond the style sheet of every page. */
export const CONSOLE_STYLE = `
.bar { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .5rem 2rem; margin: 0 0 1.6rem; border-bottom: 1px solid var(--line); }
.bar ul { display: flex; flex-wrap: wrap; gap: 0 1.4rem; margin: 0; padding: 0; list-style: none; }
.bar li { margin: 0; padding: 0; }
.bar a { display: block; padding: .55rem 0; color: var(--soft); text-decoration: none; border-bottom: 2px solid transparent; }
.bar a:hover { color: var(--ink); }
.bar a[aria-current] { color: var(--ink); font-weight: 600; border-color: var(--accent); }
.who { display: flex; align-items: center; gap: .9rem; margin: 0; color: var(--soft); font-size: .92rem; }
.small { flex: none; white-space: nowrap; min-height: 2rem; padding: .2rem .7rem; color: var(--accent); font-size: .92rem; border: 1px solid var(--edge); border-radius: .5rem; background: var(--sheet); }
.small:hover { border-color: var(--accent); }
.small.danger { color: var(--alarm); }
a.primary { display: grid; place-items: center; text-decoration: none; font-weight: 600; }
.notice { margin: 0 0 1.2rem; padding: .7rem .9rem; background: var(--sheet); border: 1px solid var(--line); border-left: 4px solid var(--good); border-radius: .6rem; }
td form { margin: 0; }
.rows { max-height: none; }
.rows td, .rows td:first-child, .rows td:last-child { min-width: 0; }
form { position: relative; }
form p:has(> .small) { display: flex; flex-wrap: wrap; gap: .6rem; }
thead td { background: var(--well); }
td form + form { margin-top: .4rem; }
@media (max-width: 45rem) {
  .rows, .rows table, .rows tbody, .rows tr, .rows td { display: block; max-width: none; }
  .rows thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .rows tr { padding: .6rem 0; border-bottom: 1px solid var(--line); }
  .rows tr:last-child { border-bottom: 0; }
  .rows td { display: flex; gap: .8rem; padding: .2rem .85rem; border: 0; white-space: normal; }
  .rows td:empty { display: none; }
  .rows td[data-h]::before { content: attr(data-h); flex: none; width: 6.5rem; color: var(--soft); }
}
.bad { color: var(--alarm); }
.plot { display: block; }
.plot path { stroke: var(--accent); stroke-width: 3; }
.plot .failed { stroke: var(--alarm); }
.plot line { stroke: var(--soft); stroke-dasharray: 2 3; }
.filters { display: flex; flex-wrap: wrap; align-items: end; gap: .8rem 1rem; margin: 0 0 1.5rem; }
.filters > div { flex: 1 1 11rem; }
.filters .vault { flex: 1 1 9rem; max-width: 15rem; }
.filters input { margin: 0; }
select { display: block; width: 100%; min-height: 2.9rem; padding: .4rem .7rem; color: inherit; background: var(--field); font: inherit; border: 1px solid var(--edge); border-radius: .6rem; }
.filters .small { flex: none; white-space: nowrap; min-height: 2.9rem; padding: .2rem 1.2rem; font-size: 1rem; }
.change { margin: 0 0 1.5rem; padding: 1rem 1.2rem; background: var(--sheet); border: 1px solid var(--line); border-radius: .6rem; }
.change .head { display: flex; align-items: start; justify-content: space-between; gap: 1rem; }
.change form { margin: 0; }
.diff { margin: .5rem 0; padding: .6rem .8rem; max-height: 24rem; overflow: auto; background: var(--well); border: 1px solid var(--line); border-radius: .4rem; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .88rem; }
.diff ins { color: var(--good); text-decoration: none; }
.diff del { color: var(--alarm); text-decoration: none; }
.hits { padding: 0; list-style: none; }
.hits h2 { margin: 1.4rem 0 0; }
.hits p { margin: .2rem 0; }
.figures + .facts { margin-top: 1.25rem; }
.progress { margin: 0 0 1rem; }
progress { display: block; width: 100%; max-width: 30rem; height: .8rem; accent-color: var(--accent); }
.progress p { margin: .2rem 0 0; color: var(--soft); font-size: .92rem; }
.board .facts { background: var(--sheet); }
.board .facts dt { width: 8.5rem; }
.board .facts dd { font-weight: 400; }
`;
