/** The style and the script of the report page; their hashes are what its policy permits. */
export const REPORT_STYLE = `
:root { color-scheme: light dark; --ink: #1c1d20; --soft: #5b5f66; --paper: #fdfdfc; --line: #d9dad7; --bar: #2f6f8f; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e8e6; --soft: #a3a7ad; --paper: #17181a; --line: #3a3c40; --bar: #6fb3d2; } }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 70rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p { color: var(--soft); }
dl { display: flex; flex-wrap: wrap; gap: 1rem 2.5rem; margin: 0; }
dt { color: var(--soft); } dd { margin: 0; font-size: 1.5rem; font-variant-numeric: tabular-nums; }
svg { width: 100%; height: 8rem; border-bottom: 1px solid var(--line); } rect { fill: var(--bar); }
.wide { overflow-x: auto; max-height: 32rem; overflow-y: auto; border: 1px solid var(--line); border-radius: 6px; }
.wide:focus-visible, button:focus-visible { outline: 2px solid var(--bar); outline-offset: -2px; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .3rem .7rem; border-bottom: 1px solid var(--line); vertical-align: top; }
td { overflow-wrap: anywhere; } th { position: sticky; top: 0; background: var(--paper); white-space: nowrap; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
button { font: inherit; font-weight: 600; color: inherit; background: none; border: 0; padding: 0; cursor: pointer; }
th[aria-sort=ascending] button::after { content: " \\2191"; } th[aria-sort=descending] button::after { content: " \\2193"; }
`;

export const REPORT_SCRIPT = `
for (const button of document.querySelectorAll('th button')) {
  button.addEventListener('click', () => {
    const head = button.closest('th');
    const row = head.parentElement;
    const at = [...row.children].indexOf(head);
    const isNumber = head.classList.contains('n');
    const was = head.getAttribute('aria-sort');
    const down = was ? was === 'ascending' : isNumber;
    for (const other of row.children) other.removeAttribute('aria-sort');
    head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    const body = head.closest('table').tBodies[0];
    const key = (line) => isNumber ? Number(line.cells[at].dataset.n) : line.cells[at].textContent;
    const rows = [...body.rows].map((line) => [key(line), line]);
    rows.sort(([a], [b]) => (isNumber ? a - b : a < b ? -1 : a > b ? 1 : 0) * (down ? -1 : 1));
    body.append(...rows.map(([, line]) => line));
  });
}
`;
