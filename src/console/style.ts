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
`;
