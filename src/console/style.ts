/** What the pages of the console have beyond the style sheet of every page. */
export const CONSOLE_STYLE = `
.bar { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .5rem 2rem; margin: 0 0 1.6rem; border-bottom: 1px solid var(--line); }
.bar ul { display: flex; flex-wrap: wrap; gap: 0 1.4rem; margin: 0; padding: 0; list-style: none; }
.bar li { margin: 0; padding: 0; }
.bar a { display: block; padding: .55rem 0; color: var(--soft); text-decoration: none; border-bottom: 2px solid transparent; }
.bar a:hover { color: var(--ink); }
.bar a[aria-current] { color: var(--ink); font-weight: 600; border-color: var(--accent); }
.who { display: flex; align-items: center; gap: .9rem; margin: 0; color: var(--soft); font-size: .92rem; }
.small { min-height: 2rem; padding: .2rem .7rem; color: var(--accent); font-size: .92rem; border: 1px solid var(--edge); border-radius: .5rem; background: var(--sheet); }
.small:hover { border-color: var(--accent); }
.small.danger { color: var(--alarm); }
a.primary { display: grid; place-items: center; text-decoration: none; font-weight: 600; }
.notice { margin: 0 0 1.2rem; padding: .7rem .9rem; background: var(--sheet); border: 1px solid var(--line); border-left: 4px solid var(--good); border-radius: .6rem; }
td form { margin: 0; }
td .small { white-space: nowrap; }
.rows td, .rows td:first-child, .rows td:last-child { min-width: 0; }
.rows td form + form { margin-top: .4rem; }
.bad { color: var(--alarm); }
.plot { display: block; }
.plot rect { fill: var(--accent); }
.plot rect.failed { fill: var(--alarm); }
.plot line { stroke: var(--soft); stroke-dasharray: 2 3; }
.filters { display: flex; flex-wrap: wrap; align-items: end; gap: .8rem 1rem; margin: 0 0 1.5rem; }
.filters > div { flex: 1 1 11rem; }
.filters input { margin: 0; }
select { display: block; width: 100%; min-height: 2.9rem; padding: .4rem .7rem; color: inherit; background: var(--field); font: inherit; border: 1px solid var(--edge); border-radius: .6rem; }
.filters .small { min-height: 2.9rem; padding: .2rem 1.2rem; font-size: 1rem; }
.board .facts { background: var(--sheet); }
.board .facts dt { width: 8.5rem; }
.board .facts dd { font-weight: 400; }
`;
